SELECT job.queue, job.priority, job.tenant, job.kind, past.claimed_run_at, past.started_at, past.ended_at, job.ended_at
FROM (
    SELECT * FROM (
        SELECT id, attempt, queue, priority, tenant, kind, ended_at FROM tenure_jobs INDEXED BY tenure_jobs_ended
        WHERE state = 'succeeded' AND ended_at > ?1 AND payload_expired_at IS NULL ORDER BY ended_at DESC LIMIT ?2
    )
    UNION ALL
    SELECT * FROM (
        SELECT id, attempt, queue, priority, tenant, kind, ended_at FROM tenure_jobs INDEXED BY tenure_jobs_ended
        WHERE state = 'failed' AND ended_at > ?1 AND payload_expired_at IS NULL ORDER BY ended_at DESC LIMIT ?2
    )
    ORDER BY ended_at DESC LIMIT ?2
) AS job LEFT JOIN tenure_attempts AS past ON past.job_id = job.id AND past.number = job.attempt
ORDER BY job.ended_at DESC
