SELECT {attempt_columns} FROM tenure_attempts WHERE job_id = ? AND number > ? ORDER BY number LIMIT ?
