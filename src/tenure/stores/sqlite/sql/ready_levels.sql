SELECT priority FROM (
    WITH RECURSIVE level (priority) AS (
        SELECT (
            SELECT max(priority) FROM tenure_jobs INDEXED BY tenure_jobs_ready WHERE state = 'ready' AND queue = ?1
        )
        UNION ALL
        SELECT (
            SELECT max(priority) FROM tenure_jobs INDEXED BY tenure_jobs_ready
            WHERE state = 'ready' AND queue = ?1 AND priority < level.priority
        )
        FROM level WHERE level.priority IS NOT NULL
    )
    SELECT priority FROM level WHERE priority IS NOT NULL
)
