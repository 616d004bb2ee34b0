DELETE FROM tenure_hints WHERE job_id IN (SELECT value FROM json_each(?))
