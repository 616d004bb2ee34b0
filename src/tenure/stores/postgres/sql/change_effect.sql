-- Where the row still has the revision that the decision saw.
WITH input AS MATERIALIZED (
    SELECT $1::jsonb AS j
), changed AS (
    UPDATE tenure_effects AS effect
    SET
        job_id = after.job_id, kind = after.kind, attempt = after.attempt, fencing_token = after.fencing_token,
        token_hash = after.token_hash, args_digest = after.args_digest, state = after.state, request_id =
        after.request_id, tries = after.tries, can_settle = after.can_settle, started_at = after.started_at,
        call_ends_by = after.call_ends_by, result = after.result, shared_key = after.shared_key, error_code =
        after.error_code, error = after.error, settled_at = after.settled_at, settled_by = after.settled_by,
        updated_at = after.updated_at, revision = after.revision
    FROM input, jsonb_to_record(input.j->'effect') AS after (
        tenant text, name text, key text, job_id uuid, kind text, attempt integer, fencing_token bigint, token_hash
        text, args_digest text, state text, request_id text, tries integer, can_settle boolean, started_at
        timestamptz, call_ends_by timestamptz, result text, shared_key text, error_code text, error text, settled_at
        timestamptz, settled_by text, updated_at timestamptz, revision integer
    )
    WHERE effect.tenant = after.tenant AND effect.name = after.name AND effect.key = after.key
        AND effect.revision = (input.j->>'seen')::integer
    RETURNING effect.key
)
SELECT json_build_object('count', count(*))::text FROM changed
