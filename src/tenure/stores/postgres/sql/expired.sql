-- Running rows whose lease has ended. It filters the small index of running rows.
WITH input AS MATERIALIZED (
    SELECT $1::jsonb AS j
), clock AS MATERIALIZED (
    SELECT coalesce((j->>'now')::timestamptz, clock_timestamp()) AS now FROM input
), job AS MATERIALIZED (
    SELECT row.* FROM tenure_jobs AS row, clock
    WHERE row.state = 'running' AND row.lease_expires_at <= clock.now
    ORDER BY row.lease_expires_at, row.seq
    LIMIT (SELECT (j->>'limit')::integer FROM input)
    FOR NO KEY UPDATE OF row SKIP LOCKED
)
SELECT json_build_object('now', clock.now, 'jobs', coalesce((SELECT json_agg(job) FROM job), '[]'::json))::text
FROM clock
