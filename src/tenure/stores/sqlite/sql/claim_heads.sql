SELECT {pick_columns} FROM tenure_jobs WHERE seq IN (SELECT value FROM json_each(?))
