-- No tenants said: everybody's.
WITH input AS MATERIALIZED (
    SELECT $1::jsonb AS j
), effect AS (
    SELECT one.* FROM input CROSS JOIN LATERAL (
        SELECT * FROM tenure_effects AS any_of
        WHERE any_of.state IN ('pending', 'uncertain')
            AND (jsonb_typeof(input.j->'tenants') = 'null' OR input.j->'tenants' ? any_of.tenant)
        ORDER BY any_of.updated_at, any_of.tenant, any_of.name, any_of.key
        LIMIT (input.j->>'limit')::integer
    ) AS one
)
SELECT coalesce(
    json_agg(effect ORDER BY effect.updated_at, effect.tenant, effect.name, effect.key), '[]'::json
)::text
FROM effect
