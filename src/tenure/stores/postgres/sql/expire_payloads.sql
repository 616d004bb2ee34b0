-- Takes the payload from ended rows: past the period of their state, or past their own.
WITH input AS MATERIALIZED (
    SELECT $1::jsonb AS j
), clock AS MATERIALIZED (
    SELECT coalesce((j->>'now')::timestamptz, clock_timestamp()) AS now FROM input
), past AS MATERIALIZED (
    {whole_past}
), own AS MATERIALIZED (
    SELECT job.id FROM clock, input CROSS JOIN LATERAL (
        SELECT one.id FROM tenure_jobs AS one
        WHERE one.state IN ('succeeded', 'failed', 'cancelled') AND one.payload_expired_at IS NULL
            AND json_typeof(one.policy->'payload_retention') = 'number'
            AND (one.ended_at AT TIME ZONE 'UTC')
                + make_interval(secs => (one.policy->>'payload_retention')::double precision)
                <= clock.now AT TIME ZONE 'UTC'
            AND NOT one.id = ANY (ARRAY(SELECT id FROM past))
        ORDER BY (one.ended_at AT TIME ZONE 'UTC')
            + make_interval(secs => (one.policy->>'payload_retention')::double precision)
        LIMIT (input.j->>'limit')::integer - (SELECT count(*) FROM past)
        FOR UPDATE SKIP LOCKED
    ) AS job
), expired AS (
    UPDATE tenure_jobs AS job
    SET payload = NULL, payload_expired_at = clock.now, updated_at = clock.now, revision = job.revision + 1
    FROM clock
    WHERE job.id = ANY (ARRAY(SELECT id FROM past UNION ALL SELECT id FROM own))
    RETURNING job.id
)
SELECT json_build_object('count', (SELECT count(*) FROM expired))::text
