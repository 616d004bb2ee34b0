SELECT id, last_error_code, error FROM tenure_jobs WHERE id IN (SELECT value FROM json_each(?))
