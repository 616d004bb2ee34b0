SELECT queue, kind, tenant, count(*) FROM tenure_jobs INDEXED BY tenure_jobs_running
WHERE state = 'running' AND lease_expires_at > ?
GROUP BY queue, kind, tenant
