WITH input AS MATERIALIZED (
    SELECT $1::jsonb AS j
), clock AS MATERIALIZED (
    SELECT coalesce((j->>'now')::timestamptz, clock_timestamp()) AS now FROM input
), cleared AS (
    DELETE FROM tenure_slowdowns AS slow
    USING input, clock
    WHERE slow.tenant = input.j->>'tenant' AND slow.kind = input.j->>'kind' AND slow.until > clock.now
    RETURNING slow.kind
)
SELECT json_build_object('count', count(*))::text FROM cleared
