SELECT {job_columns} FROM tenure_jobs INDEXED BY tenure_jobs_deadlines
WHERE deadline IS NOT NULL AND state IN ('scheduled', 'ready', 'blocked') AND deadline <= ?
ORDER BY deadline LIMIT ?
