SELECT {job_columns} FROM tenure_jobs INDEXED BY tenure_jobs_scheduled
WHERE state = 'scheduled' AND run_at <= ?
ORDER BY run_at, seq LIMIT ?
