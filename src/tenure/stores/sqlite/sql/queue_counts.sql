SELECT queue, state, jobs, oldest_run_at
FROM (
    SELECT queue, state, count(*) AS jobs, min(run_at) AS oldest_run_at, dense_rank() OVER (ORDER BY queue) AS place
    FROM tenure_jobs
    WHERE pruned_at IS NULL AND queue > ?{conditions}
    GROUP BY queue, state
)
WHERE place <= ?
ORDER BY queue, state
