WITH written AS (
    UPDATE tenure_redrive_jobs AS row
    SET state = 'left', reason = asked.reason, settled_at = asked.at
    FROM jsonb_to_record($1::jsonb) AS asked (id uuid, reason text, at timestamptz)
    WHERE row.redrive_id = asked.id AND row.state = 'waiting'
    RETURNING 1
)
SELECT json_build_object('count', count(*))::text FROM written
