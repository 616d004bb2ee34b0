SELECT coalesce(json_agg(last), '[]'::json)::text
FROM (
    SELECT attempt.job_id, attempt.worker, attempt.claimed_run_at, attempt.started_at, attempt.ended_by, attempt.begun,
        attempt.error_class, attempt.after_cancel
    FROM tenure_jobs AS job JOIN tenure_attempts AS attempt ON attempt.job_id = job.id AND attempt.number = job.attempt
    WHERE job.id = ANY (ARRAY(SELECT jsonb_array_elements_text($1::jsonb->'ids')::uuid))
) AS last
