SELECT {job_columns} FROM tenure_jobs INDEXED BY tenure_jobs_failed
WHERE state = 'failed' AND pruned_at IS NULL AND order_place IS NOT NULL
  AND (?1 IS NULL OR tenant IN (SELECT value FROM json_each(?1)))
ORDER BY ended_at DESC, id DESC LIMIT ?2
