SELECT queue, kind, state, count(*), min(run_at) FROM tenure_jobs
WHERE pruned_at IS NULL{conditions}
GROUP BY queue, kind, state
ORDER BY queue, kind, state LIMIT ?
