-- One step of core/fairness.py, and the claim of what it picks.
WITH RECURSIVE input AS MATERIALIZED (
    SELECT $1::jsonb AS j
), clock AS MATERIALIZED (
    SELECT coalesce((j->>'now')::timestamptz, clock_timestamp()) AS now FROM input
), -- begin claim
{claim_asked}, limits AS MATERIALIZED (
    SELECT jsonb_object_agg(name, concurrency) AS by_kind FROM tenure_kinds WHERE concurrency IS NOT NULL
), -- Hops from lane to lane along the index. It starts before the first tenant past the cursor: no text lies
-- between a name and the name with U+0001 behind it, and no kind is blank. Of a claim for some tenants, a lane of
-- another one leads on to the place before the next of them; no name is longer than 200 characters.
lanes (
    tenant, kind, version, run_at, seq, past_run_at, past_seq, turn, is_open, tenant_open, is_limited, wrapped
) AS (
    SELECT
        place.tenant, place.kind, place.version, place.run_at, place.seq, place.run_at, place.seq,
        0, false, false, false, level.after IS NULL
    FROM level CROSS JOIN LATERAL (
        SELECT level.tenant, level.kind, level.version, level.run_at, level.seq - 1 AS seq
        WHERE (level.after || chr(1)) COLLATE "C" <= level.tenant IS NOT FALSE
        UNION ALL
        SELECT (level.after || chr(1)) COLLATE "C", '' COLLATE "C", 0, '-infinity', 0
        WHERE (level.after || chr(1)) COLLATE "C" > level.tenant
    ) AS place
    UNION ALL
    SELECT
        coalesce(seen.leap, seen.tenant), CASE WHEN seen.leap IS NULL THEN seen.kind ELSE '' END,
        CASE WHEN seen.leap IS NULL THEN seen.version ELSE 0 END, seen.run_at, seen.seq, 'infinity', 9223372036854775807,
        lane.turn + (seen.is_open AND (seen.tenant <> lane.tenant OR NOT lane.tenant_open))::integer,
        seen.is_open,
        seen.is_open OR (seen.tenant = lane.tenant AND lane.tenant_open),
        seen.is_open AND coalesce(limits.by_kind ? seen.kind AND NOT coalesce(request.rooms ? seen.kind, false), false),
        seen.wrapped
    FROM lanes AS lane CROSS JOIN request CROSS JOIN limits CROSS JOIN level CROSS JOIN clock CROSS JOIN LATERAL (
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
                AND coalesce((request.rooms->>next.kind)::integer > 0, true)
                AND NOT EXISTS (
                    SELECT FROM tenure_slowdowns AS slow
                    WHERE slow.tenant = next.tenant AND slow.kind = next.kind AND slow.until > clock.now
                )
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
                    AND NOT lane.wrapped AND job.tenant <= level.after
                    AND (job.tenant, job.kind, job.version, job.run_at, job.seq)
                        >= (level.tenant, level.kind, level.version, level.run_at, level.seq)
                ORDER BY job.tenant, job.kind, job.version, job.run_at, job.seq LIMIT 1
            )
            LIMIT 1
        ) AS next
        WHERE NOT next.wrapped OR level.after IS NULL OR next.tenant <= level.after
        OFFSET 0 -- Keeps the planner from working out is_open once for each use of it.
    ) AS seen
    WHERE lane.turn < request.free OR seen.tenant = lane.tenant
), open_lanes AS MATERIALIZED (
    SELECT tenant, kind, version, run_at, seq, turn, is_limited FROM lanes WHERE is_open
), turns AS MATERIALIZED (
    SELECT
        turn, tenant, lanes,
        request.free / round.total + (turn <= request.free % round.total)::integer AS share
    FROM request, (SELECT max(turn) AS total, bool_or(is_limited) AS is_limited FROM open_lanes) AS round,
        (SELECT turn, tenant, count(*) AS lanes FROM open_lanes GROUP BY turn, tenant) AS each_turn
    WHERE NOT round.is_limited
), -- Only a tenant with several open lanes has any to merge, and only a limited kind has jobs to leave out.
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
    WHERE turns.lanes > 1 OR request.rooms IS NOT NULL
), picked AS MATERIALIZED (
    SELECT turn, tenant, kind, version, run_at, seq, place, row_number() OVER (PARTITION BY turn ORDER BY place) AS nth
    FROM (
        SELECT heads.*, row_number() OVER (PARTITION BY kind ORDER BY place, turn) AS nth_of_kind
        FROM heads WHERE place <= share
    ) AS ordered, request
    WHERE coalesce(nth_of_kind <= (request.rooms->>kind)::integer, true)
), picks AS MATERIALIZED (
    SELECT
        turn, tenant, kind, version, run_at, seq, wanted,
        (request.runs->kind->>version::text)::integer AS ran_version
    FROM request, (
        SELECT turn, tenant, kind, version, run_at, seq, count(*) AS wanted
        FROM picked GROUP BY turn, tenant, kind, version, run_at, seq
        UNION ALL
        SELECT turns.turn, lane.tenant, lane.kind, lane.version, lane.run_at, lane.seq, turns.share
        FROM turns JOIN open_lanes AS lane ON lane.turn = turns.turn CROSS JOIN request
        WHERE turns.lanes = 1 AND request.rooms IS NULL AND turns.share > 0
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
    -- Its round, then its turn; where a limited kind left jobs out, the others keep their rounds.
    SELECT place, ran_version, row_number() OVER (ORDER BY round, turn) AS n
    FROM (
        SELECT
            place, ran_version, turn,
            CASE WHEN request.rooms IS NULL THEN nth ELSE (
                SELECT picked.place FROM picked WHERE picked.turn = ordered.turn AND picked.nth = ordered.nth
            ) END AS round
        FROM request, (
            SELECT held.*, row_number() OVER (PARTITION BY turn ORDER BY run_at, seq) AS nth FROM held
        ) AS ordered
    ) AS placed
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
        'left_out', (SELECT count(*) FROM heads WHERE place <= share) - (SELECT count(*) FROM picked),
        'limited', coalesce((SELECT bool_or(is_limited) FROM open_lanes), false),
        'lower', coalesce((
            SELECT true FROM tenure_jobs AS job
            WHERE job.state = 'ready' AND job.queue = request.queue AND job.priority < level.priority
            ORDER BY job.priority DESC LIMIT 1
        ), false),
        'leases', CASE WHEN leases.taken > 0 THEN leases.columns END
    ) AS answer
    FROM request CROSS JOIN clock CROSS JOIN leases LEFT JOIN level ON true
) -- end claim
SELECT answer::text FROM step
