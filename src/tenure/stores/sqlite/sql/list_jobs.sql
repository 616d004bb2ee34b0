SELECT {job_columns} FROM tenure_jobs WHERE id < ?{conditions} ORDER BY id DESC LIMIT ?
