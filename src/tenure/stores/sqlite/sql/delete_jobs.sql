DELETE FROM tenure_jobs WHERE id IN (SELECT value FROM json_each(?)) AND ended_at IS NOT NULL
