-- One step of core/flow/fairness.py, and the claim of what it picks.
WITH RECURSIVE input AS MATERIALIZED (
    SELECT $1::jsonb AS j
), clock AS MATERIALIZED (
    SELECT coalesce((j->>'now')::timestamptz, clock_timestamp()) AS now FROM input
), -- begin claim
{claim_asked}, {claim_level}, {claim_lanes}, turns AS MATERIALIZED (
    SELECT
        turn, tenant, lanes,
        request.free / round.total + (turn <= request.free % round.total)::integer AS share
    FROM request, rules, (SELECT max(turn) AS total, bool_or(is_limited) AS is_limited FROM open_lanes) AS round,
        (SELECT turn, tenant, count(*) AS lanes FROM open_lanes GROUP BY turn, tenant) AS each_turn
    WHERE NOT round.is_limited AND NOT rules.is_relieved
), -- Only a tenant with several open lanes has any to merge.
heads AS MATERIALIZED (
    SELECT
        turns.turn, lane.tenant, lane.kind, lane.version, lane.run_at, lane.seq, turns.share,
        row_number() OVER (PARTITION BY turns.turn ORDER BY head.run_at, head.seq) AS place
    FROM turns JOIN open_lanes AS lane ON lane.turn = turns.turn CROSS JOIN request CROSS JOIN level CROSS JOIN clock
    CROSS JOIN LATERAL (
        SELECT job.run_at, job.seq FROM tenure_jobs AS job
        WHERE job.state = 'ready' AND job.queue = request.queue AND job.priority = level.priority
            AND job.tenant = lane.tenant AND job.kind = lane.kind AND job.version = lane.version
            AND (job.run_at, job.seq) >= (lane.run_at, lane.seq)
            AND (job.deadline IS NULL OR job.deadline > clock.now)
        ORDER BY job.run_at, job.seq LIMIT turns.share
    ) AS head
    WHERE turns.lanes > 1
), picks AS MATERIALIZED (
    SELECT
        turn, tenant, kind, version, run_at, seq, wanted,
        (request.runs->kind->>version::text)::integer AS ran_version
    FROM request, (
        SELECT turn, tenant, kind, version, run_at, seq, count(*) AS wanted
        FROM heads WHERE place <= share GROUP BY turn, tenant, kind, version, run_at, seq
        UNION ALL
        SELECT turns.turn, lane.tenant, lane.kind, lane.version, lane.run_at, lane.seq, turns.share
        FROM turns JOIN open_lanes AS lane ON lane.turn = turns.turn CROSS JOIN request
        WHERE turns.lanes = 1 AND turns.share > 0
    ) AS lane
), held AS MATERIALIZED (
    SELECT picks.turn, picks.ran_version, ready.place, ready.run_at, ready.seq
    FROM picks CROSS JOIN request CROSS JOIN level CROSS JOIN clock CROSS JOIN LATERAL (
        SELECT job.ctid AS place, job.run_at, job.seq FROM tenure_jobs AS job
        WHERE job.state = 'ready' AND job.queue = request.queue AND job.priority = level.priority
            AND job.tenant = picks.tenant AND job.kind = picks.kind AND job.version = picks.version
            AND (job.run_at, job.seq) >= (picks.run_at, picks.seq)
            AND (job.deadline IS NULL OR job.deadline > clock.now)
        ORDER BY job.run_at, job.seq LIMIT picks.wanted
        FOR NO KEY UPDATE SKIP LOCKED
    ) AS ready
), numbered AS MATERIALIZED (
    SELECT place, ran_version, row_number() OVER (ORDER BY round, turn) AS n
    FROM (
        SELECT held.*, row_number() OVER (PARTITION BY turn ORDER BY run_at, seq) AS round FROM held
    ) AS ordered
), {claim_granted}, step AS (
    SELECT json_build_object(
        'now', clock.now,
        'priority', level.priority,
        'turns', coalesce((SELECT json_agg(tenant ORDER BY turn) FROM turns), '[]'::json),
        -- Whether rivals took some of what it meant to take: looked into only where a lane gave less than was wanted.
        'rivals', leases.taken < (SELECT coalesce(sum(wanted), 0) FROM picks) AND leases.taken < (
            SELECT sum((
                SELECT count(*) FROM (
                    SELECT FROM tenure_jobs AS job
                    WHERE job.state = 'ready' AND job.queue = request.queue AND job.priority = level.priority
                        AND job.tenant = picks.tenant AND job.kind = picks.kind AND job.version = picks.version
                        AND (job.run_at, job.seq) >= (picks.run_at, picks.seq)
                        AND (job.deadline IS NULL OR job.deadline > clock.now)
                    ORDER BY job.run_at, job.seq LIMIT picks.wanted
                ) AS waiting
            )) FROM picks
        ),
        'ruled', coalesce((SELECT bool_or(is_limited) FROM open_lanes), false)
            OR rules.is_relieved AND level.priority IS NOT NULL,
        'lower', coalesce((
            SELECT true FROM tenure_jobs AS job
            WHERE job.state = 'ready' AND job.queue = request.queue AND job.priority < level.priority
            ORDER BY job.priority DESC LIMIT 1
        ) AND NOT rules.shut_queue, false),
        'leases', CASE WHEN leases.taken > 0 THEN leases.columns END
    ) AS answer
    FROM request CROSS JOIN rules CROSS JOIN clock CROSS JOIN leases LEFT JOIN level ON true
) -- end claim
SELECT answer::text FROM step
