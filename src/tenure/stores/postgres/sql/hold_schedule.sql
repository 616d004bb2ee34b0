-- Waits for whoever holds the row. The instant is read after the wait.
WITH input AS MATERIALIZED (
    SELECT $1::jsonb AS j
), schedule AS MATERIALIZED (
    SELECT * FROM tenure_schedules
    WHERE tenant = (SELECT j->>'tenant' FROM input) AND name = (SELECT j->>'schedule' FROM input)
    FOR UPDATE
), held AS MATERIALIZED (
    SELECT json_agg(schedule)->0 AS schedule FROM schedule
)
SELECT json_build_object(
    'now', coalesce((input.j->>'now')::timestamptz, clock_timestamp()), 'schedule', held.schedule
)::text
FROM held, input
