SELECT count(*) FROM tenure_effects WHERE job_id = ?
