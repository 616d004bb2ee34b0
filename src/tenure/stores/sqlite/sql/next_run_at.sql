SELECT run_at FROM tenure_jobs INDEXED BY tenure_jobs_scheduled WHERE state = 'scheduled' ORDER BY run_at LIMIT 1
