SELECT {job_columns} FROM tenure_jobs WHERE id IN (SELECT value FROM json_each(?))
