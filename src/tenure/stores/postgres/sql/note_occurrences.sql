WITH noted AS (
    INSERT INTO tenure_occurrences (
        id, schedule_id, edition, cause, at, until_at, slots, skipped, job_id, decided_at
    )
    SELECT
        row.id, row.schedule_id, row.edition, row.cause, row.at, row.until_at, row.slots, row.skipped, row.job_id,
        row.decided_at
    FROM jsonb_to_recordset($1::jsonb->'rows') AS row (
        id uuid, schedule_id uuid, edition integer, cause text, at timestamptz, until_at timestamptz, slots integer,
        skipped text, job_id uuid, decided_at timestamptz
    )
    ON CONFLICT DO NOTHING
    RETURNING id
)
SELECT json_build_object('count', count(*))::text FROM noted
