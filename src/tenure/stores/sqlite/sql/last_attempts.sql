SELECT {last_columns} FROM tenure_jobs AS job
CROSS JOIN tenure_attempts AS attempt ON attempt.job_id = job.id AND attempt.number = job.attempt
WHERE job.id IN (SELECT value FROM json_each(?))
