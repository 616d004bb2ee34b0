-- One job by its id, where claim.sql could take it. Of a kind whose limit it was not told it takes nothing and says
-- `limited`.
WITH input AS MATERIALIZED (
    SELECT $1::jsonb AS j
), clock AS MATERIALIZED (
    SELECT coalesce((j->>'now')::timestamptz, clock_timestamp()) AS now FROM input
), {claim_asked}, wanted AS MATERIALIZED (
    SELECT
        ready.place, ready.priority, ready.ran_version,
        NOT coalesce(request.rooms ? ready.kind, false) AND EXISTS (
            SELECT FROM tenure_kinds WHERE name = ready.kind AND concurrency IS NOT NULL
        ) AS is_limited
    FROM request CROSS JOIN clock CROSS JOIN input CROSS JOIN LATERAL (
        SELECT
            job.ctid AS place, job.priority, job.kind,
            (request.runs->job.kind->>job.version::text)::integer AS ran_version
        FROM tenure_jobs AS job
        WHERE job.id = (input.j->'claim'->>'only')::uuid AND job.state = 'ready' AND job.queue = request.queue
            AND (job.deadline IS NULL OR job.deadline > clock.now)
            AND coalesce(request.tenants ? job.tenant, true)
            AND request.runs->job.kind ? job.version::text
            AND coalesce((request.rooms->>job.kind)::integer > 0, true)
            AND NOT EXISTS (
                SELECT FROM tenure_slowdowns AS slow
                WHERE slow.tenant = job.tenant AND slow.kind = job.kind AND slow.until > clock.now
            )
        LIMIT request.free
        FOR NO KEY UPDATE OF job SKIP LOCKED
    ) AS ready
), numbered AS MATERIALIZED (
    SELECT place, ran_version, 1::bigint AS n FROM wanted WHERE NOT is_limited
), {claim_granted}
SELECT json_build_object(
    'now', clock.now,
    'priority', wanted.priority,
    'turns', '[]'::json,
    'rivals', false,
    'left_out', 0,
    'limited', coalesce(wanted.is_limited, false),
    'lower', false,
    'leases', CASE WHEN leases.taken > 0 THEN leases.columns END
)::text
FROM clock CROSS JOIN leases LEFT JOIN wanted ON true
