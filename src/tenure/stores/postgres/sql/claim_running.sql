-- Live leases by the place of a limit. It may tell of a moment ago: a lane that is full here waits for the next claim, and
-- one that has room is counted again under the lock of its limits.
running AS MATERIALIZED (
    SELECT coalesce(jsonb_object_agg(jsonb_build_array(
        coalesce(queue, ''), coalesce(kind, ''), coalesce(tenant, '')
    )::text, jobs), '{}') AS by_place
    FROM (
        SELECT job.queue, job.kind, job.tenant, count(*) AS jobs
        FROM tenure_jobs AS job, clock
        WHERE job.state = 'running' AND job.lease_expires_at > clock.now
        GROUP BY GROUPING SETS ((), (job.queue), (job.kind), (job.tenant), (job.kind, job.tenant))
    ) AS counted
),
