SELECT {job_columns} FROM tenure_jobs WHERE seq < ?{conditions} ORDER BY seq DESC LIMIT ?
