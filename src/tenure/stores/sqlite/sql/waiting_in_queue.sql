SELECT kind, count(*) FROM (
    SELECT kind FROM tenure_jobs INDEXED BY tenure_jobs_ready WHERE state = 'ready' AND queue = ?1
    UNION ALL
    SELECT kind FROM tenure_jobs INDEXED BY tenure_jobs_waiting WHERE state IN ('scheduled', 'blocked') AND queue = ?1
    LIMIT ?2
)
GROUP BY kind
