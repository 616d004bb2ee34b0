WITH input AS MATERIALIZED (
    SELECT $1::jsonb AS j
), clock AS MATERIALIZED (
    SELECT coalesce((j->>'now')::timestamptz, clock_timestamp()) AS now FROM input
)
SELECT coalesce(json_agg(slow ORDER BY slow.tenant, slow.kind), '[]'::json)::text
FROM clock CROSS JOIN tenure_slowdowns AS slow
WHERE slow.until > clock.now AND coalesce((SELECT nullif(j->'kinds', 'null') FROM input) ? slow.kind, true)
