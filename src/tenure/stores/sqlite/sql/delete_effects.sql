DELETE FROM tenure_effects WHERE job_id IN (SELECT value FROM json_each(?))
