WITH written AS (
    INSERT INTO tenure_redrive_jobs (
        redrive_id, place, job_id, tenant, kind, attempt, cause, is_canary, state, reason, code, sent_at, settled_at
    )
    SELECT
        new.redrive_id, new.place, new.job_id, new.tenant, new.kind, new.attempt, new.cause, new.is_canary, new.state,
        new.reason, new.code, new.sent_at, new.settled_at
    FROM jsonb_to_recordset($1::jsonb->'rows') AS new (
        redrive_id uuid, place integer, job_id uuid, tenant text, kind text, attempt integer, cause text, is_canary
        boolean, state text, reason text, code text, sent_at timestamptz, settled_at timestamptz
    )
    RETURNING 1
)
SELECT json_build_object('count', count(*))::text FROM written
