WITH input AS MATERIALIZED (
    SELECT $1::jsonb AS j
), revoked AS (
    UPDATE tenure_keys AS key
    SET revoked_at = coalesce(key.revoked_at, (input.j->>'now')::timestamptz, clock_timestamp())
    FROM input
    WHERE key.id = (input.j->>'id')::uuid
    RETURNING key.*
)
SELECT coalesce(json_agg(revoked), '[]'::json)::text FROM revoked
