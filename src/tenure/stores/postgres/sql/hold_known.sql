-- Which of the jobs have a row under their id or their key, held so that no pruner takes it before it is read.
WITH wanted AS MATERIALIZED (
    SELECT job.* FROM jsonb_to_recordset($1::jsonb->'jobs') AS job (
        id uuid, tenant text, kind text, idempotency_key text
    )
), held AS MATERIALIZED (
    SELECT wanted.id FROM wanted CROSS JOIN LATERAL (
        SELECT found.id FROM tenure_jobs AS found
        WHERE found.id = wanted.id OR (
            found.tenant = wanted.tenant AND found.kind = wanted.kind
            AND found.idempotency_key = wanted.idempotency_key AND found.idempotency_key IS NOT NULL
        )
        LIMIT 1 FOR KEY SHARE
    ) AS row
)
SELECT coalesce(json_agg(id), '[]'::json)::text FROM held
