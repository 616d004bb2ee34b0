-- Missing kinds go in; standing ones take the versions and secret fields, and with `replace` the rest. What is so already
-- is not locked.
WITH input AS MATERIALIZED (
    SELECT $1::jsonb AS j
), new AS MATERIALIZED (
    SELECT kind.*, (input.j->>'replace')::boolean AS replaces
    FROM input, jsonb_to_recordset(input.j->'kinds') AS kind (
        name text, versions jsonb, schema text, queue text, max_attempts integer, run_time_limit double precision,
        policy jsonb, priority smallint, remedies jsonb, secret jsonb, secret_result jsonb
    )
)
INSERT INTO tenure_kinds AS kind (
    name, versions, schema, queue, max_attempts, run_time_limit, policy, priority, remedies, secret, secret_result
)
SELECT
    name, versions::text::json, schema, queue, max_attempts, run_time_limit, policy::text::json, priority,
    remedies::text::json, secret::text::json, secret_result::text::json
FROM new
WHERE replaces OR NOT EXISTS (
    SELECT FROM tenure_kinds AS known
    WHERE known.name = new.name AND known.versions::jsonb @> new.versions AND known.secret::jsonb @> new.secret
        AND known.secret_result::jsonb @> new.secret_result
)
ORDER BY name COLLATE "C"
ON CONFLICT (name) DO UPDATE SET
    versions = (
        SELECT json_agg(DISTINCT version.value::integer ORDER BY version.value::integer)
        FROM (
            SELECT value FROM json_array_elements_text(kind.versions)
            UNION ALL SELECT value FROM json_array_elements_text(EXCLUDED.versions)
        ) AS version
    ),
    secret = (
        SELECT coalesce(json_agg(DISTINCT path.value COLLATE "C" ORDER BY path.value COLLATE "C"), '[]')
        FROM (
            SELECT value FROM json_array_elements_text(kind.secret)
            UNION ALL SELECT value FROM json_array_elements_text(EXCLUDED.secret)
        ) AS path
    ),
    secret_result = (
        SELECT coalesce(json_agg(DISTINCT path.value COLLATE "C" ORDER BY path.value COLLATE "C"), '[]')
        FROM (
            SELECT value FROM json_array_elements_text(kind.secret_result)
            UNION ALL SELECT value FROM json_array_elements_text(EXCLUDED.secret_result)
        ) AS path
    )
RETURNING kind.name, (kind.xmax = 0)::text
