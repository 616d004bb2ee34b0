SELECT {effect_columns} FROM tenure_effects WHERE job_id = ? AND name = ? AND request_id = ? ORDER BY key LIMIT 1
