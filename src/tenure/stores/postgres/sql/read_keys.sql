WITH wanted AS MATERIALIZED (
    SELECT DISTINCT key.* FROM jsonb_to_recordset($1::jsonb->'keys') AS key (tenant text, kind text, idempotency_key text)
)
SELECT coalesce(json_agg(job), '[]'::json)::text
FROM wanted CROSS JOIN LATERAL (
    SELECT found.* FROM tenure_jobs AS found
    WHERE found.tenant = wanted.tenant AND found.kind = wanted.kind AND found.idempotency_key = wanted.idempotency_key
    LIMIT 1
) AS job
