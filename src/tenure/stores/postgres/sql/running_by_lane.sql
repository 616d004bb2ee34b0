-- Live leases; an expired one counts against no limit.
WITH input AS MATERIALIZED (
    SELECT $1::jsonb AS j
), clock AS MATERIALIZED (
    SELECT coalesce((j->>'now')::timestamptz, clock_timestamp()) AS now FROM input
)
SELECT coalesce(json_agg(json_build_array(queue, kind, tenant, jobs)), '[]'::json)::text
FROM (
    SELECT job.queue, job.kind, job.tenant, count(*) AS jobs
    FROM tenure_jobs AS job, clock
    WHERE job.state = 'running' AND job.lease_expires_at > clock.now
    GROUP BY job.queue, job.kind, job.tenant
) AS lane
