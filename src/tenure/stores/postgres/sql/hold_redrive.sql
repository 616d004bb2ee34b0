-- Waits for whoever holds the row. The instant is read after the wait.
WITH input AS MATERIALIZED (
    SELECT $1::jsonb AS j
), redrive AS MATERIALIZED (
    SELECT * FROM tenure_redrives WHERE id = (SELECT (j->>'id')::uuid FROM input) FOR UPDATE
), held AS MATERIALIZED (
    SELECT json_agg(redrive)->0 AS redrive FROM redrive
)
SELECT json_build_object(
    'now', coalesce((input.j->>'now')::timestamptz, clock_timestamp()), 'redrive', held.redrive
)::text
FROM held, input
