WITH written AS (
    UPDATE tenure_redrive_jobs AS row
    SET state = after.state, reason = after.reason, code = after.code, sent_at = after.sent_at,
        settled_at = after.settled_at
    FROM jsonb_to_recordset($1::jsonb->'rows') AS after (
        redrive_id uuid, place integer, state text, reason text, code text, sent_at timestamptz, settled_at timestamptz
    )
    WHERE row.redrive_id = after.redrive_id AND row.place = after.place
    RETURNING 1
)
SELECT json_build_object('count', count(*))::text FROM written
