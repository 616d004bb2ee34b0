UPDATE tenure_hints SET token = ?, due_at = ? WHERE job_id IN (SELECT value FROM json_each(?))
