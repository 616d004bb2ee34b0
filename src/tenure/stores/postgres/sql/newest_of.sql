-- The job that was enqueued last at each of these supersession keys.
SELECT coalesce(json_agg(json_build_array(place.tenant, place.kind, place.key, newest.id)), '[]'::json)::text
FROM jsonb_to_recordset($1::jsonb->'places') AS place (tenant text, kind text, key text)
CROSS JOIN LATERAL (
    SELECT id FROM tenure_jobs AS job
    WHERE job.tenant = place.tenant AND job.kind = place.kind AND job.supersession_key = place.key
        AND job.supersession_key IS NOT NULL
    ORDER BY seq DESC LIMIT 1
) AS newest
