-- Waits for whoever holds the row. The instant is read after the wait.
WITH input AS MATERIALIZED (
    SELECT $1::jsonb AS j
), effect AS MATERIALIZED (
    SELECT * FROM tenure_effects
    WHERE tenant = (SELECT j->'place'->>'tenant' FROM input) AND name = (SELECT j->'place'->>'name' FROM input)
        AND key = (SELECT j->'place'->>'key' FROM input)
    FOR NO KEY UPDATE
), held AS MATERIALIZED (
    SELECT json_agg(effect)->0 AS effect FROM effect
)
SELECT json_build_object(
    'now', coalesce((input.j->>'now')::timestamptz, clock_timestamp()), 'effect', held.effect
)::text
FROM held, input
