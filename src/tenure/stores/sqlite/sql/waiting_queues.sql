SELECT queue FROM (
    WITH RECURSIVE ready (queue) AS (
        SELECT (SELECT min(queue) FROM tenure_jobs INDEXED BY tenure_jobs_ready WHERE state = 'ready')
        UNION ALL
        SELECT (
            SELECT min(queue) FROM tenure_jobs INDEXED BY tenure_jobs_ready
            WHERE state = 'ready' AND queue > ready.queue
        )
        FROM ready WHERE ready.queue IS NOT NULL
    ), other (queue) AS (
        SELECT (SELECT min(queue) FROM tenure_jobs INDEXED BY tenure_jobs_waiting WHERE state IN ('scheduled', 'blocked'))
        UNION ALL
        SELECT (
            SELECT min(queue) FROM tenure_jobs INDEXED BY tenure_jobs_waiting
            WHERE state IN ('scheduled', 'blocked') AND queue > other.queue
        )
        FROM other WHERE other.queue IS NOT NULL
    )
    SELECT queue FROM ready WHERE queue IS NOT NULL
    UNION
    SELECT queue FROM other WHERE queue IS NOT NULL
)
ORDER BY queue LIMIT ?
