SELECT queue, kind, state, count(*), min(run_at) FROM tenure_jobs
GROUP BY queue, kind, state
ORDER BY queue, kind, state
