INSERT INTO tenure_flow AS rule (
    queue, kind, tenant, resource, concurrency, starts, seconds, burst, tokens, filled_at, is_declared
)
SELECT
    place->>'queue', place->>'kind', place->>'tenant', place->>'resource', (j->>'concurrency')::integer,
    (j->'rate'->>'starts')::integer,
    (j->'rate'->>'seconds')::double precision, (j->'rate'->>'burst')::integer, (j->>'tokens')::double precision,
    (j->>'filled_at')::timestamptz, (j->>'is_declared')::boolean
FROM (SELECT given AS j, given->'place' AS place FROM (SELECT $1::jsonb AS given) AS asked) AS input
ON CONFLICT (tenant, kind, queue, resource) DO UPDATE SET
    concurrency = EXCLUDED.concurrency, starts = EXCLUDED.starts, seconds = EXCLUDED.seconds, burst = EXCLUDED.burst,
    tokens = EXCLUDED.tokens, filled_at = EXCLUDED.filled_at,
    is_declared = EXCLUDED.is_declared
RETURNING rule.queue
