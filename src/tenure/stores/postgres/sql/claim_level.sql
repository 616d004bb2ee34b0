-- The highest priority that has something ready. Only this step walks over the index entries of jobs that are gone: every
-- later one starts at the first job that an earlier one has found.
level AS MATERIALIZED (
    SELECT
        head.*,
        (request.after->>head.priority::text)
            || CASE WHEN request.owed ? head.priority::text THEN '' ELSE chr(1) END COLLATE "C" AS start
    FROM request CROSS JOIN LATERAL (
        SELECT job.priority, job.tenant, job.kind, job.version, job.run_at, job.seq FROM tenure_jobs AS job
        WHERE job.state = 'ready' AND job.queue = request.queue AND job.priority <= request.most
        ORDER BY job.priority DESC, job.tenant, job.kind, job.version, job.run_at, job.seq LIMIT 1
    ) AS head
)
