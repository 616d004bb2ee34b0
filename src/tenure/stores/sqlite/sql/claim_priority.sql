SELECT priority FROM tenure_jobs INDEXED BY tenure_jobs_ready
WHERE state = 'ready' AND queue = ? AND priority <= ? AND (deadline IS NULL OR deadline > ?)
ORDER BY priority DESC LIMIT 1
