INSERT INTO tenure_checkpoints AS known (job_id, name, value, attempt, fencing_token, saved_at)
SELECT new.job_id, new.name, new.value, new.attempt, new.fencing_token, new.saved_at
FROM jsonb_to_record($1::jsonb->'checkpoint') AS new (
    job_id uuid, name text, value text, attempt integer, fencing_token bigint, saved_at timestamptz
)
ON CONFLICT (job_id, name) DO UPDATE SET
    value = EXCLUDED.value, attempt = EXCLUDED.attempt, fencing_token = EXCLUDED.fencing_token,
    saved_at = EXCLUDED.saved_at
RETURNING known.name
