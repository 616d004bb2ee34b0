SELECT {letter_columns}
FROM tenure_jobs INDEXED BY tenure_jobs_failed
WHERE state = 'failed' AND pruned_at IS NULL AND (ended_at, id) > (?, ?){conditions}
ORDER BY ended_at, id LIMIT ?
