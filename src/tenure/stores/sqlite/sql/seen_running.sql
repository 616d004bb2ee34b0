SELECT queue, priority, tenant, kind, run_at, started_at FROM tenure_jobs INDEXED BY tenure_jobs_running
WHERE state = 'running' AND lease_expires_at > ? LIMIT ?
