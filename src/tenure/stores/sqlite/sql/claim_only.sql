SELECT {pick_columns} FROM tenure_jobs
WHERE id = ? AND state = 'ready' AND queue = ? AND (deadline IS NULL OR deadline > ?)
