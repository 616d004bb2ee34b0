-- Whether there is any rule is looked up once, so that a lane costs nothing more where there is none.
rules AS MATERIALIZED (
    SELECT
        EXISTS (SELECT FROM tenure_flow) AS are_some,
        coalesce(of_queue.paused_at IS NOT NULL, false) AS shut_queue,
        coalesce(of_queue.aging IS NOT NULL OR of_queue.reserve_percent IS NOT NULL, false) AS is_relieved
    FROM request LEFT JOIN tenure_flow AS of_queue
        ON of_queue.tenant = '' AND of_queue.kind = '' AND of_queue.queue = request.queue
        AND of_queue.resource = ''
), {claim_running}
-- Hops from lane to lane along the index. It starts before the first tenant past the cursor: no text lies between a name
-- and the name with U+0001 behind it, and no kind is blank; one that is owed slots is met first. Of a claim for some
-- tenants, a lane of another one leads on to the place before the next of them; no name is longer than 200 characters.
lanes (
    tenant, kind, version, run_at, seq, past_run_at, past_seq, turn, is_open, tenant_open, is_limited, wrapped
) AS (
    SELECT
        place.tenant, place.kind, place.version, place.run_at, place.seq, place.run_at, place.seq,
        0, false, false, false, level.start IS NULL
    FROM level CROSS JOIN rules CROSS JOIN LATERAL (
        SELECT level.tenant, level.kind, level.version, level.run_at, level.seq - 1 AS seq
        WHERE level.start <= level.tenant IS NOT FALSE
        UNION ALL
        SELECT level.start, '' COLLATE "C", 0, '-infinity', 0
        WHERE level.start > level.tenant
    ) AS place
    WHERE NOT rules.shut_queue
    UNION ALL
    SELECT
        coalesce(seen.leap, seen.tenant), CASE WHEN seen.leap IS NULL THEN seen.kind ELSE '' END,
        CASE WHEN seen.leap IS NULL THEN seen.version ELSE 0 END, seen.run_at, seen.seq, 'infinity', 9223372036854775807,
        lane.turn + (seen.is_open AND (seen.tenant <> lane.tenant OR NOT lane.tenant_open))::integer,
        seen.is_open,
        seen.is_open OR (seen.tenant = lane.tenant AND lane.tenant_open),
        rules.are_some AND seen.leap IS NULL AND EXISTS (
            SELECT FROM tenure_flow AS rule
            WHERE rule.tenant = ANY (ARRAY['', seen.tenant]) AND rule.kind = ANY (ARRAY['', seen.kind])
                AND rule.queue = ANY (ARRAY['', request.queue]) AND rule.resource = ''
                AND (
                    rule.weight IS NOT NULL OR rule.concurrency IS NOT NULL OR rule.starts IS NOT NULL
                    OR rule.slots IS NOT NULL OR EXISTS (
                        SELECT FROM tenure_flow AS shared
                        WHERE shared.tenant = '' AND shared.kind = '' AND shared.queue = ''
                            AND shared.resource = ANY (rule.uses)
                    )
                )
        ),
        seen.wrapped
    FROM lanes AS lane CROSS JOIN request CROSS JOIN rules CROSS JOIN level CROSS JOIN clock
    CROSS JOIN LATERAL (
        SELECT
            next.*,
            CASE WHEN NOT request.tenants ? next.tenant THEN coalesce(
                (
                    SELECT min(name COLLATE "C") FROM jsonb_array_elements_text(request.tenants) AS name
                    WHERE name COLLATE "C" > next.tenant
                ),
                repeat(chr(1114111), 201)
            ) END COLLATE "C" AS leap,
            (
                coalesce(request.tenants ? next.tenant, true)
                AND request.runs->next.kind ? next.version::text
                AND NOT EXISTS (
                    SELECT FROM tenure_slowdowns AS slow
                    WHERE slow.tenant = next.tenant AND slow.kind = next.kind AND slow.until > clock.now
                )
                AND NOT (rules.are_some AND EXISTS (
                    SELECT FROM tenure_flow AS rule
                    WHERE rule.tenant = ANY (ARRAY['', next.tenant]) AND rule.kind = ANY (ARRAY['', next.kind])
                        AND rule.queue = ANY (ARRAY['', request.queue]) AND rule.resource {claim_uses}
                        AND (
                            rule.paused_at IS NOT NULL
                            {claim_full}
                        )
                ))
                AND (
                    SELECT true FROM tenure_jobs AS job
                    WHERE job.state = 'ready' AND job.queue = request.queue AND job.priority = level.priority
                        AND job.tenant = next.tenant AND job.kind = next.kind AND job.version = next.version
                        AND (job.run_at, job.seq) >= (next.run_at, next.seq)
                        AND (job.deadline IS NULL OR job.deadline > clock.now)
                    ORDER BY job.run_at, job.seq LIMIT 1
                )
            ) IS TRUE AS is_open
        FROM (
            (
                SELECT job.tenant, job.kind, job.version, job.run_at, job.seq, lane.wrapped AS wrapped
                FROM tenure_jobs AS job
                WHERE job.state = 'ready' AND job.queue = request.queue AND job.priority = level.priority
                    AND (job.tenant, job.kind, job.version, job.run_at, job.seq)
                        > (lane.tenant, lane.kind, lane.version, lane.past_run_at, lane.past_seq)
                ORDER BY job.tenant, job.kind, job.version, job.run_at, job.seq LIMIT 1
            )
            UNION ALL
            (
                SELECT job.tenant, job.kind, job.version, job.run_at, job.seq, true FROM tenure_jobs AS job
                WHERE job.state = 'ready' AND job.queue = request.queue AND job.priority = level.priority
                    AND NOT lane.wrapped AND job.tenant < level.start
                    AND (job.tenant, job.kind, job.version, job.run_at, job.seq)
                        >= (level.tenant, level.kind, level.version, level.run_at, level.seq)
                ORDER BY job.tenant, job.kind, job.version, job.run_at, job.seq LIMIT 1
            )
            LIMIT 1
        ) AS next
        WHERE NOT next.wrapped OR level.start IS NULL OR next.tenant < level.start
        OFFSET 0 -- Keeps the planner from working out is_open once for each use of it.
    ) AS seen
    WHERE lane.turn < request.free OR seen.tenant = lane.tenant
), open_lanes AS MATERIALIZED (
    SELECT tenant, kind, version, run_at, seq, turn, is_limited FROM lanes WHERE is_open
)
