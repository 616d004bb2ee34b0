SELECT name, state, jobs, oldest_run_at
FROM (
    SELECT
        {by} AS name, state, count(*) AS jobs, min(run_at) AS oldest_run_at, dense_rank() OVER (ORDER BY {by}) AS place
    FROM tenure_jobs
    WHERE pruned_at IS NULL AND {by} > ?{conditions}
    GROUP BY {by}, state
)
WHERE place <= ?
ORDER BY name, state
