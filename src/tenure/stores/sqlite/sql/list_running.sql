SELECT {job_columns} FROM tenure_jobs INDEXED BY tenure_jobs_running
WHERE state = 'running' AND id < ?{conditions}
ORDER BY id DESC LIMIT ?
