-- scheduled to ready. Due rows that others hold are theirs; they do not make the next one due now.
WITH input AS MATERIALIZED (
    SELECT $1::jsonb AS j
), clock AS MATERIALIZED (
    SELECT coalesce((j->>'now')::timestamptz, clock_timestamp()) AS now FROM input
), due AS MATERIALIZED (
    SELECT job.id FROM tenure_jobs AS job, clock
    WHERE job.state = 'scheduled' AND job.run_at <= clock.now
    ORDER BY job.run_at, job.seq
    LIMIT (SELECT (j->>'limit')::integer FROM input)
    FOR NO KEY UPDATE OF job SKIP LOCKED
), promoted AS (
    UPDATE tenure_jobs AS job
    SET state = 'ready', revision = job.revision + 1, updated_at = clock.now
    FROM clock
    WHERE job.id = ANY (ARRAY(SELECT id FROM due))
    RETURNING job.queue
)
SELECT json_build_object(
    'now', clock.now,
    'count', (SELECT count(*) FROM promoted),
    'queues', coalesce((SELECT json_agg(DISTINCT queue) FROM promoted), '[]'::json),
    'next_run_at', CASE WHEN (SELECT count(*) FROM promoted) < (input.j->>'limit')::integer THEN (
        SELECT job.run_at FROM tenure_jobs AS job
        WHERE job.state = 'scheduled' AND job.run_at > clock.now ORDER BY job.run_at LIMIT 1
    ) ELSE (
        SELECT job.run_at FROM tenure_jobs AS job
        WHERE job.state = 'scheduled' AND job.id <> ALL (ARRAY(SELECT id FROM due)) ORDER BY job.run_at LIMIT 1
    ) END
)::text
FROM clock, input
