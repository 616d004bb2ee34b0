SELECT {frozen_columns} FROM tenure_redrive_jobs INDEXED BY tenure_redrive_jobs_outcome
WHERE redrive_id = ? AND state IN ('succeeded', 'failed_again') AND settled_at >= ?
ORDER BY settled_at DESC, place DESC LIMIT ?
