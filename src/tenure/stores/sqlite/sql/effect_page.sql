SELECT {effect_columns} FROM tenure_effects WHERE job_id = ? ORDER BY name, key LIMIT ? OFFSET ?
