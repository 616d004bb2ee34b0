-- Missing kinds go in; standing ones take the versions, and with `replace` the rest. What is so already is not locked.
WITH input AS MATERIALIZED (
    SELECT $1::jsonb AS j
), new AS MATERIALIZED (
    SELECT kind.*, (input.j->>'replace')::boolean AS replaces
    FROM input, jsonb_to_recordset(input.j->'kinds') AS kind (
        name text, versions jsonb, schema text, queue text, max_attempts integer, run_time_limit double precision,
        policy jsonb, concurrency integer, priority smallint, remedies jsonb
    )
)
INSERT INTO tenure_kinds AS kind (
    name, versions, schema, queue, max_attempts, run_time_limit, policy, concurrency, priority, remedies
)
SELECT
    name, versions::text::json, schema, queue, max_attempts, run_time_limit, policy::text::json, concurrency, priority,
    remedies::text::json
FROM new
WHERE replaces OR NOT EXISTS (
    SELECT FROM tenure_kinds AS known WHERE known.name = new.name AND known.versions::jsonb @> new.versions
)
ORDER BY name COLLATE "C"
ON CONFLICT (name) DO UPDATE SET
    versions = (
        SELECT json_agg(DISTINCT version.value::integer ORDER BY version.value::integer)
        FROM (
            SELECT value FROM json_array_elements_text(kind.versions)
            UNION ALL SELECT value FROM json_array_elements_text(EXCLUDED.versions)
        ) AS version
    )
RETURNING kind.name
