INSERT INTO tenure_capacities (queue, tenant, jobs)
SELECT said.queue, said.tenant, said.jobs FROM jsonb_to_record($1::jsonb) AS said (queue text, tenant text, jobs integer)
ON CONFLICT (queue, tenant) DO UPDATE SET jobs = EXCLUDED.jobs
RETURNING queue
