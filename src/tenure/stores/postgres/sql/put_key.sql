-- Waits for a rival that puts the same name.
WITH put AS (
    INSERT INTO tenure_keys (id, name, role, scope, hash, created_at, created_by, expires_at, revoked_at)
    SELECT key.id, key.name, key.role, key.scope, key.hash, key.created_at, key.created_by, key.expires_at, key.revoked_at
    FROM jsonb_to_record($1::jsonb->'key') AS key (
        id uuid, name text, role text, scope json, hash text, created_at timestamptz, created_by text,
        expires_at timestamptz, revoked_at timestamptz
    )
    ON CONFLICT DO NOTHING
    RETURNING id
)
SELECT json_build_object('count', count(*))::text FROM put
