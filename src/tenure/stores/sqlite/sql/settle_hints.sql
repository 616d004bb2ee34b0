DELETE FROM tenure_hints WHERE token = ? AND job_id IN (SELECT value FROM json_each(?)) RETURNING job_id
