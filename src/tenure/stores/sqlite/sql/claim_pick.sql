SELECT {pick_columns} FROM tenure_jobs INDEXED BY tenure_jobs_ready
WHERE state = 'ready' AND queue = ? AND priority = ? AND tenant = ? AND kind = ? AND version = ?
  AND (deadline IS NULL OR deadline > ?)
ORDER BY run_at, seq LIMIT ?
