INSERT INTO tenure_flow AS rule (queue, kind, tenant, aging, reserve_percent, reserve_most)
SELECT said.queue, '', '', said.aging, (said.reserve->>'percent')::integer, (said.reserve->>'most')::integer
FROM jsonb_to_record($1::jsonb) AS said (queue text, aging double precision, reserve jsonb)
ON CONFLICT (tenant, kind, queue, resource) DO UPDATE SET
    aging = EXCLUDED.aging, reserve_percent = EXCLUDED.reserve_percent, reserve_most = EXCLUDED.reserve_most
RETURNING rule.queue
