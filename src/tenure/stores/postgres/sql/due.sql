-- Scheduled rows that are due.
WITH input AS MATERIALIZED (
    SELECT $1::jsonb AS j
), clock AS MATERIALIZED (
    SELECT coalesce((j->>'now')::timestamptz, clock_timestamp()) AS now FROM input
), job AS MATERIALIZED (
    SELECT row.* FROM tenure_jobs AS row, clock
    WHERE row.state = 'scheduled' AND row.run_at <= clock.now
    ORDER BY row.run_at, row.seq
    LIMIT (SELECT (j->>'limit')::integer FROM input)
    FOR NO KEY UPDATE OF row SKIP LOCKED
)
SELECT json_build_object('now', clock.now, 'jobs', coalesce((SELECT json_agg(job) FROM job), '[]'::json))::text
FROM clock
