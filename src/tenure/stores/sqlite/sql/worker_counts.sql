SELECT worker, count(*), min(started_at), max(heartbeat_at), json_group_array(DISTINCT holder)
FROM tenure_jobs INDEXED BY tenure_jobs_running
WHERE state = 'running' AND worker > ?{conditions}
GROUP BY worker
ORDER BY worker LIMIT ?
