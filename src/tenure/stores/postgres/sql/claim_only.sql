-- One job by its id, where claim.sql could take it. Under a limit it takes nothing and says `ruled`.
WITH input AS MATERIALIZED (
    SELECT $1::jsonb AS j
), clock AS MATERIALIZED (
    SELECT coalesce((j->>'now')::timestamptz, clock_timestamp()) AS now FROM input
), {claim_asked}, wanted AS MATERIALIZED (
    SELECT ready.*, (request.runs->ready.kind->>ready.version::text)::integer AS ran_version, EXISTS (
        SELECT FROM tenure_flow AS rule
        WHERE rule.tenant = ANY (ARRAY['', ready.tenant]) AND rule.kind = ANY (ARRAY['', ready.kind])
            AND rule.queue = ANY (ARRAY['', request.queue]) AND rule.resource = ''
            AND (
                rule.concurrency IS NOT NULL OR rule.starts IS NOT NULL OR rule.slots IS NOT NULL
                OR rule.uses IS NOT NULL
            )
    ) AS is_limited
    FROM request CROSS JOIN clock CROSS JOIN input CROSS JOIN LATERAL (
        SELECT next.ctid AS place, next.priority, next.tenant, next.kind, next.version
        FROM tenure_jobs AS next
        WHERE next.id = (input.j->'claim'->>'only')::uuid AND next.state = 'ready' AND next.queue = request.queue
            AND (next.deadline IS NULL OR next.deadline > clock.now)
            AND coalesce(request.tenants ? next.tenant, true)
            AND request.runs->next.kind ? next.version::text
            AND NOT EXISTS (
                SELECT FROM tenure_slowdowns AS slow
                WHERE slow.tenant = next.tenant AND slow.kind = next.kind AND slow.until > clock.now
            )
            AND NOT EXISTS (
                SELECT FROM tenure_flow AS rule
                WHERE rule.tenant = ANY (ARRAY['', next.tenant]) AND rule.kind = ANY (ARRAY['', next.kind])
                    AND rule.queue = ANY (ARRAY['', request.queue]) AND rule.resource {claim_uses}
                    AND rule.paused_at IS NOT NULL
            )
        LIMIT request.free
        FOR NO KEY UPDATE OF next SKIP LOCKED
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
