SELECT {attempt_columns} FROM tenure_attempts
WHERE job_id IN (SELECT value FROM json_each(?))
ORDER BY job_id, number
