-- What a claim would go round at the highest priority, where limits, weights or a relief have a say: nothing is taken.
WITH RECURSIVE input AS MATERIALIZED (
    SELECT $1::jsonb AS j
), clock AS MATERIALIZED (
    SELECT coalesce((j->>'now')::timestamptz, clock_timestamp()) AS now FROM input
), {claim_asked}, {claim_level}, {claim_lanes}
SELECT json_build_object(
    'now', clock.now,
    'priority', level.priority,
    'held_back', EXISTS (
        SELECT FROM lanes AS next
        WHERE next.is_limited AND NOT next.is_open AND request.runs->next.kind ? next.version::text
            AND NOT EXISTS (
                SELECT FROM tenure_slowdowns AS slow
                WHERE slow.tenant = next.tenant AND slow.kind = next.kind AND slow.until > clock.now
            )
            AND NOT EXISTS (
                SELECT FROM tenure_flow AS rule
                WHERE rule.tenant = ANY (ARRAY['', next.tenant]) AND rule.kind = ANY (ARRAY['', next.kind])
                    AND rule.queue = ANY (ARRAY['', request.queue]) AND rule.resource {claim_uses}
                    AND (rule.paused_at IS NOT NULL OR rule.slots > request.most_slots)
            )
    ),
    'lower', coalesce((
        SELECT true FROM tenure_jobs AS job
        WHERE job.state = 'ready' AND job.queue = request.queue AND job.priority < level.priority
        ORDER BY job.priority DESC LIMIT 1
    ) AND NOT rules.shut_queue, false),
    'relief', CASE WHEN rules.is_relieved THEN (
        SELECT {relief_json} FROM tenure_flow AS rule
        WHERE rule.tenant = '' AND rule.kind = '' AND rule.queue = request.queue AND rule.resource = ''
    ) END,
    'oldest', CASE WHEN rules.is_relieved THEN (
        SELECT min(head.run_at) FROM open_lanes AS lane CROSS JOIN LATERAL (
            SELECT job.run_at FROM tenure_jobs AS job
            WHERE job.state = 'ready' AND job.queue = request.queue AND job.priority = level.priority
                AND job.tenant = lane.tenant AND job.kind = lane.kind AND job.version = lane.version
                AND (job.run_at, job.seq) >= (lane.run_at, lane.seq)
                AND (job.deadline IS NULL OR job.deadline > clock.now)
            ORDER BY job.run_at, job.seq LIMIT 1
        ) AS head
    ) END,
    'lanes', coalesce((
        SELECT json_agg(json_build_array(tenant, kind, version, run_at::text, seq) ORDER BY turn, kind, version)
        FROM open_lanes
    ), '[]'::json),
    'places', coalesce((
        SELECT json_agg(DISTINCT jsonb_build_array(rule.queue, rule.kind, rule.tenant, rule.resource))
        FROM open_lanes AS next JOIN tenure_flow AS rule
            ON rule.tenant = ANY (ARRAY['', next.tenant]) AND rule.kind = ANY (ARRAY['', next.kind])
            AND rule.queue = ANY (ARRAY['', request.queue]) AND rule.resource {claim_uses}
        WHERE rule.concurrency IS NOT NULL OR rule.starts IS NOT NULL
    ), '[]'::json),
    'weights', coalesce((
        SELECT json_object_agg(rule.tenant, rule.weight)
        FROM (SELECT DISTINCT tenant FROM open_lanes) AS lane JOIN tenure_flow AS rule
            ON rule.tenant = lane.tenant AND rule.kind = '' AND rule.queue = '' AND rule.resource = ''
        WHERE rule.weight IS NOT NULL
    ), '{}'::json),
    'demands', {demands_told}
)::text
FROM request CROSS JOIN clock CROSS JOIN rules LEFT JOIN level ON true
