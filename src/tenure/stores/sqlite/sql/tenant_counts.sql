SELECT tenant, state, jobs, oldest_run_at
FROM (
    SELECT tenant, state, count(*) AS jobs, min(run_at) AS oldest_run_at, dense_rank() OVER (ORDER BY tenant) AS place
    FROM tenure_jobs
    WHERE pruned_at IS NULL AND tenant > ?{conditions}
    GROUP BY tenant, state
)
WHERE place <= ?
ORDER BY tenant, state
