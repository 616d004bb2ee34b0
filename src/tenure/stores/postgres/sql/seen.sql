-- Attempts that ended with their jobs, the newest, and those that run. `oldest`: of the jobs, where there may be more.
WITH input AS MATERIALIZED (
    SELECT j, (j->>'limit')::integer AS most, make_interval(secs => (j->>'window')::double precision) AS back
    FROM (SELECT $1::jsonb AS j) AS given
), clock AS MATERIALIZED (
    SELECT coalesce((j->>'now')::timestamptz, clock_timestamp()) AS now FROM input
), ended AS MATERIALIZED (
    SELECT * FROM (
        (
            SELECT job.id, job.attempt, job.queue, job.priority, job.tenant, job.kind, job.ended_at
            FROM tenure_jobs AS job
            WHERE job.state = 'succeeded' AND job.payload_expired_at IS NULL
                AND job.ended_at > (SELECT clock.now - input.back FROM clock, input)
            ORDER BY job.ended_at DESC LIMIT (SELECT most FROM input)
        )
        UNION ALL
        (
            SELECT job.id, job.attempt, job.queue, job.priority, job.tenant, job.kind, job.ended_at
            FROM tenure_jobs AS job
            WHERE job.state = 'failed' AND job.payload_expired_at IS NULL
                AND job.ended_at > (SELECT clock.now - input.back FROM clock, input)
            ORDER BY job.ended_at DESC LIMIT (SELECT most FROM input)
        )
    ) AS both_states
    ORDER BY ended_at DESC LIMIT (SELECT most FROM input)
), running AS (
    SELECT job.queue, job.priority, job.tenant, job.kind, job.run_at, job.started_at
    FROM tenure_jobs AS job
    WHERE job.state = 'running' AND job.lease_expires_at > (SELECT now FROM clock)
    LIMIT (SELECT most FROM input)
)
SELECT json_build_object(
    'now', clock.now,
    'jobs', (SELECT count(*) FROM ended),
    'oldest', (SELECT min(ended_at) FROM ended),
    'ended', (
        SELECT coalesce(json_agg(past) FILTER (WHERE past IS NOT NULL), '[]'::json)
        FROM (
            SELECT (
                SELECT json_build_array(
                    ended.queue, ended.priority, ended.tenant, ended.kind,
                    attempt.claimed_run_at, attempt.started_at, attempt.ended_at
                )
                FROM tenure_attempts AS attempt WHERE attempt.job_id = ended.id AND attempt.number = ended.attempt
            ) AS past
            FROM ended
        ) AS found
    ),
    'running', (
        SELECT coalesce(json_agg(json_build_array(queue, priority, tenant, kind, run_at, started_at, NULL)), '[]'::json)
        FROM running
    )
)::text
FROM clock
