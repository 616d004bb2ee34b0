-- What insert.sql does for many, without what only many need: for one row that costs the server a quarter less. It
-- answers with no row where the id or the key is known.
INSERT INTO tenure_jobs (
    id, seq, kind, payload, args_digest, version, tenant, queue, priority, state, idempotency_key,
    run_at, deadline, created_at, updated_at, max_attempts, run_time_limit, policy, tags, trace
)
SELECT
    (job->>'id')::uuid, nextval('tenure_job_seq'), job->>'kind', job->>'payload', job->>'args_digest',
    (job->>'version')::integer, job->>'tenant', job->>'queue', (job->>'priority')::smallint,
    CASE WHEN due > now THEN 'scheduled' ELSE 'ready' END::tenure_state, job->>'idempotency_key',
    due, (job->>'deadline')::timestamptz, now, now, (job->>'max_attempts')::integer,
    (job->>'run_time_limit')::double precision, (job->'policy')::json, (job->'tags')::json, job->>'trace'
FROM (
    SELECT
        job, now,
        coalesce(
            (job->>'run_at')::timestamptz, now + make_interval(secs => (job->>'delay')::double precision), now
        ) AS due
    FROM (
        SELECT
            j->'job' AS job, coalesce((j->>'now')::timestamptz, clock_timestamp()) AS now,
            CASE WHEN j ? 'wait' THEN set_config('lock_timeout', j->>'wait', true) END,
            CASE WHEN j ? 'hint' THEN pg_notify('tenure', j->>'hint')::text END
        FROM (SELECT $1::jsonb AS j OFFSET 0) AS input
        OFFSET 0 -- Reads the clock once.
    ) AS given
) AS new
ON CONFLICT DO NOTHING
RETURNING json_build_object('now', created_at, 'created', json_build_object(id, seq))::text
