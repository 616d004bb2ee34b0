WITH late AS (
    SELECT note.* FROM jsonb_to_recordset($1::jsonb->'notes') AS note (job_id uuid, number integer, report json)
)
UPDATE tenure_attempts AS attempt SET late_report = late.report
FROM late
WHERE attempt.job_id = late.job_id AND attempt.number = late.number AND attempt.late_report IS NULL
RETURNING attempt.job_id::text
