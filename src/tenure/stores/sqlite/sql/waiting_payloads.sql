-- Both ends of two indices, so that a look costs the same whatever waits.
WITH ends (id) AS (
    SELECT * FROM (
        SELECT rowid FROM tenure_jobs AS waiting INDEXED BY tenure_jobs_ready WHERE state = 'ready' AND queue = ?1
        ORDER BY priority DESC, tenant, kind, version, run_at, rowid LIMIT ?2
    )
    UNION SELECT * FROM (
        SELECT rowid FROM tenure_jobs AS waiting INDEXED BY tenure_jobs_ready WHERE state = 'ready' AND queue = ?1
        ORDER BY priority, tenant DESC, kind DESC, version DESC, run_at DESC, rowid DESC LIMIT ?2
    )
    UNION SELECT * FROM (
        SELECT rowid FROM tenure_jobs AS waiting INDEXED BY tenure_jobs_scheduled WHERE state = 'scheduled'
        ORDER BY run_at, rowid LIMIT ?2
    )
    UNION SELECT * FROM (
        SELECT rowid FROM tenure_jobs AS waiting INDEXED BY tenure_jobs_scheduled WHERE state = 'scheduled'
        ORDER BY run_at DESC, rowid DESC LIMIT ?2
    )
)
SELECT job.id, job.kind, coalesce(substr(job.payload, 1, ?3), ''), job.last_error_code
FROM ends CROSS JOIN tenure_jobs AS job ON job.rowid = ends.id
WHERE job.queue = ?1 ORDER BY job.id
