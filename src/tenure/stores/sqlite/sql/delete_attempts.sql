DELETE FROM tenure_attempts WHERE job_id IN (SELECT value FROM json_each(?))
