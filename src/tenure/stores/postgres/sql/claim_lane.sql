-- What claim.sql does, where all that is ready at the highest priority stands in one lane for which there is no rule: then
-- no turns are to be told, and half of what a claim costs is left. Elsewhere it takes nothing and says `many`.
WITH input AS MATERIALIZED (
    SELECT $1::jsonb AS j
), clock AS MATERIALIZED (
    SELECT coalesce((j->>'now')::timestamptz, clock_timestamp()) AS now FROM input
), -- begin claim
{claim_asked}, {claim_level}, -- The index goes by lane: where its first and its last entry are of one, so are those in between.
lane AS MATERIALIZED (
    SELECT
        level.*,
        (request.runs->level.kind->>level.version::text)::integer AS ran_version,
        (last.tenant, last.kind, last.version) = (level.tenant, level.kind, level.version)
            AND NOT EXISTS (
                SELECT FROM tenure_flow AS rule
                WHERE rule.tenant = ANY (ARRAY['', level.tenant]) AND rule.kind = ANY (ARRAY['', level.kind])
                    AND rule.queue = ANY (ARRAY['', request.queue]) AND rule.resource = ''
            ) AS is_alone,
        coalesce(request.tenants ? level.tenant, true)
            AND request.runs->level.kind ? level.version::text
            AND NOT EXISTS (
                SELECT FROM tenure_slowdowns AS slow
                WHERE slow.tenant = level.tenant AND slow.kind = level.kind AND slow.until > clock.now
            ) AS is_open
    FROM level CROSS JOIN request CROSS JOIN clock CROSS JOIN LATERAL (
        SELECT job.tenant, job.kind, job.version FROM tenure_jobs AS job
        WHERE job.state = 'ready' AND job.queue = request.queue AND job.priority = level.priority
            AND (job.tenant, job.kind, job.version, job.run_at, job.seq)
                >= (level.tenant, level.kind, level.version, level.run_at, level.seq)
        ORDER BY job.tenant DESC, job.kind DESC, job.version DESC, job.run_at DESC, job.seq DESC LIMIT 1
    ) AS last
), numbered AS MATERIALIZED (
    SELECT
        ready.place, ready.run_at, ready.seq, lane.ran_version, row_number() OVER (ORDER BY ready.run_at, ready.seq) AS n
    FROM lane CROSS JOIN request CROSS JOIN clock CROSS JOIN LATERAL (
        SELECT job.ctid AS place, job.run_at, job.seq FROM tenure_jobs AS job
        WHERE job.state = 'ready' AND job.queue = request.queue AND job.priority = lane.priority
            AND job.tenant = lane.tenant AND job.kind = lane.kind AND job.version = lane.version
            AND (job.run_at, job.seq) >= (lane.run_at, lane.seq)
            AND (job.deadline IS NULL OR job.deadline > clock.now)
        ORDER BY job.run_at, job.seq LIMIT request.free
        FOR NO KEY UPDATE SKIP LOCKED
    ) AS ready
    WHERE lane.is_alone AND lane.is_open
), {claim_granted}, -- What it meant to take, looked into only where it got less than it had slots for.
waiting AS MATERIALIZED (
    SELECT CASE WHEN leases.taken = request.free THEN leases.taken ELSE (
        SELECT count(*) FROM (
            SELECT FROM lane CROSS JOIN clock JOIN tenure_jobs AS job
                ON job.state = 'ready' AND job.queue = request.queue AND job.priority = lane.priority
                AND job.tenant = lane.tenant AND job.kind = lane.kind AND job.version = lane.version
                AND (job.run_at, job.seq) >= (lane.run_at, lane.seq)
                AND (job.deadline IS NULL OR job.deadline > clock.now)
            WHERE lane.is_alone AND lane.is_open
            ORDER BY job.run_at, job.seq LIMIT request.free
        ) AS seen
    ) END AS jobs
    FROM leases, request
), step AS (
    SELECT json_build_object(
        'now', clock.now,
        'priority', lane.priority,
        'many', coalesce(NOT lane.is_alone, false),
        'turns', CASE WHEN waiting.jobs > 0 THEN json_build_array(lane.tenant) ELSE '[]' END,
        'rivals', leases.taken < waiting.jobs,
        'lower', coalesce((
            SELECT true FROM tenure_jobs AS job
            WHERE job.state = 'ready' AND job.queue = request.queue AND job.priority < lane.priority
            ORDER BY job.priority DESC LIMIT 1
        ), false),
        'spent', CASE WHEN (SELECT j->>'now' FROM input) IS NULL
            THEN extract(epoch FROM clock_timestamp() - clock.now)::double precision ELSE 0 END,
        'past', (
            SELECT json_build_array(lane.priority, lane.tenant, lane.kind, lane.version, numbered.run_at, numbered.seq)
            FROM numbered WHERE numbered.n = leases.taken
        ),
        'leases', CASE WHEN leases.taken > 0 THEN leases.columns END
    ) AS answer
    FROM request CROSS JOIN clock CROSS JOIN leases CROSS JOIN waiting LEFT JOIN lane ON true
) -- end claim
SELECT answer::text FROM step
