SELECT name, state FROM tenure_effects WHERE job_id = ? ORDER BY name, key
