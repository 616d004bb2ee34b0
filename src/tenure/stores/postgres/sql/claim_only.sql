-- One job by its id, where claim.sql could take it. Under a limit it takes nothing and says `ruled`.
WITH input AS MATERIALIZED (
    SELECT $1::jsonb AS j
), clock AS MATERIALIZED (
    SELECT coalesce((j->>'now')::timestamptz, clock_timestamp()) AS now FROM input
), {claim_asked}, wanted AS MATERIALIZED (
    SELECT ready.*, (request.runs->ready.kind->>ready.version::text)::integer AS ran_version, EXISTS (
        SELECT FROM tenure_flow AS rule
        WHERE rule.tenant = ANY (ARRAY['', ready.tenant]) AND rule.kind = ANY (ARRAY['', ready.kind])
            AND rule.queue = ANY (ARRAY['', request.queue])
            AND (rule.concurrency IS NOT NULL OR rule.starts IS NOT NULL)
    ) AS is_limited
    FROM request CROSS JOIN clock CROSS JOIN input CROSS JOIN LATERAL (
        SELECT job.ctid AS place, job.priority, job.tenant, job.kind, job.version
        FROM tenure_jobs AS job
        WHERE job.id = (input.j->'claim'->>'only')::uuid AND job.state = 'ready' AND job.queue = request.queue
            AND (job.deadline IS NULL OR job.deadline > clock.now)
            AND coalesce(request.tenants ? job.tenant, true)
            AND request.runs->job.kind ? job.version::text
            AND NOT EXISTS (
                SELECT FROM tenure_slowdowns AS slow
                WHERE slow.tenant = job.tenant AND slow.kind = job.kind AND slow.until > clock.now
            )
            AND NOT EXISTS (
                SELECT FROM tenure_flow AS rule
                WHERE rule.tenant = ANY (ARRAY['', job.tenant]) AND rule.kind = ANY (ARRAY['', job.kind])
                    AND rule.queue = ANY (ARRAY['', request.queue]) AND rule.paused_at IS NOT NULL
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
    'ruled', coalesce(wanted.is_limited, false),
    'lower', false,
    'lane', CASE WHEN wanted.kind IS NOT NULL THEN json_build_array(wanted.tenant, wanted.kind, wanted.version) END,
    'leases', CASE WHEN leases.taken > 0 THEN leases.columns END
)::text
FROM clock CROSS JOIN leases LEFT JOIN wanted ON true
