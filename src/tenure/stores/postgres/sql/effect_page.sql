SELECT coalesce(json_agg(effect ORDER BY effect.name, effect.key), '[]'::json)::text
FROM (SELECT $1::jsonb AS j) AS input CROSS JOIN LATERAL (
    SELECT
        any_of.tenant, any_of.name, any_of.key, any_of.job_id, any_of.kind, any_of.attempt,
        any_of.fencing_token, any_of.token_hash, any_of.args_digest, any_of.state, any_of.request_id,
        any_of.tries, any_of.can_settle, any_of.started_at, any_of.call_ends_by,
        CASE WHEN (input.j->>'results')::boolean THEN any_of.result END AS result, any_of.shared_key,
        any_of.error_code, any_of.error, any_of.settled_at, any_of.settled_by, any_of.updated_at, any_of.revision
    FROM tenure_effects AS any_of
    WHERE any_of.job_id = (input.j->>'job_id')::uuid
    ORDER BY any_of.name, any_of.key LIMIT (input.j->>'limit')::integer OFFSET (input.j->>'skip')::integer
) AS effect
