-- Waits for a rival that puts the same key.
WITH added AS (
    INSERT INTO tenure_effects (
        tenant, name, key, job_id, kind, attempt, fencing_token, token_hash, args_digest, state, request_id, tries,
        can_settle, started_at, call_ends_by, result, shared_key, error_code, error, settled_at, settled_by,
        updated_at, revision
    )
    SELECT
        new.tenant, new.name, new.key, new.job_id, new.kind, new.attempt, new.fencing_token, new.token_hash,
        new.args_digest, new.state, new.request_id, new.tries, new.can_settle, new.started_at, new.call_ends_by,
        new.result, new.shared_key, new.error_code, new.error, new.settled_at, new.settled_by, new.updated_at,
        new.revision
    FROM jsonb_to_record($1::jsonb->'effect') AS new (
        tenant text, name text, key text, job_id uuid, kind text, attempt integer, fencing_token bigint, token_hash
        text, args_digest text, state text, request_id text, tries integer, can_settle boolean, started_at
        timestamptz, call_ends_by timestamptz, result text, shared_key text, error_code text, error text, settled_at
        timestamptz, settled_by text, updated_at timestamptz, revision integer
    )
    ON CONFLICT DO NOTHING
    RETURNING key
)
SELECT json_build_object('count', count(*))::text FROM added
