DELETE FROM tenure_checkpoints WHERE job_id IN (SELECT value FROM json_each(?))
