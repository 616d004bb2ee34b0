WITH input AS MATERIALIZED (
    SELECT $1::jsonb AS j
), revoked AS (
    UPDATE tenure_keys AS key
    SET revoked_at = coalesce((input.j->>'now')::timestamptz, clock_timestamp())
    FROM input
    WHERE key.id = (input.j->>'id')::uuid AND key.revoked_at IS NULL
    RETURNING key.*
)
SELECT coalesce(json_agg(revoked), '[]'::json)::text FROM revoked
