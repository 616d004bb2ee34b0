-- Before drop_hints.sql in one transaction: that looks whether the jobs are ready when these rows are held, so it sees
-- whatever made one ready without leaving a newer hint.
WITH input AS MATERIALIZED (
    SELECT $1::jsonb AS j
), clock AS MATERIALIZED (
    SELECT coalesce((j->>'now')::timestamptz, clock_timestamp()) AS now FROM input
), due AS MATERIALIZED (
    SELECT hint.job_id, hint.due_at FROM tenure_hints AS hint, clock, input
    WHERE hint.due_at <= clock.now - make_interval(secs => (j->>'waited')::double precision)
    ORDER BY hint.due_at, hint.job_id
    LIMIT (SELECT (j->>'limit')::integer FROM input)
    FOR UPDATE OF hint SKIP LOCKED
), taken AS (
    UPDATE tenure_hints AS hint
    SET token = j->>'token', due_at = clock.now + make_interval(secs => (j->>'hold')::double precision)
    FROM clock, input
    WHERE hint.job_id = ANY (ARRAY(SELECT job_id FROM due))
    RETURNING hint.job_id, hint.refusals
)
SELECT json_build_object(
    'now', (SELECT now FROM clock),
    'is_on', EXISTS (SELECT FROM tenure_switches WHERE name = 'hints') AND EXISTS (
        SELECT FROM pg_trigger WHERE tgrelid = 'tenure_jobs'::regclass AND tgname = 'tenure_hint_updates'
    ),
    'hints', coalesce(json_agg(json_build_array(job_id, refusals) ORDER BY due.due_at, job_id), '[]'::json)
)::text
FROM taken JOIN due USING (job_id)
