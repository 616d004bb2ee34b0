SELECT kind, count(*) FROM (
    SELECT job.kind
    FROM json_each(?2) AS priority CROSS JOIN tenure_jobs AS job INDEXED BY tenure_jobs_ready
    WHERE job.state = 'ready' AND job.queue = ?1 AND job.priority = priority.value AND job.tenant = ?3
    UNION ALL
    SELECT kind FROM tenure_jobs INDEXED BY tenure_jobs_waiting
    WHERE state IN ('scheduled', 'blocked') AND queue = ?1 AND tenant = ?3
    LIMIT ?4
)
GROUP BY kind
