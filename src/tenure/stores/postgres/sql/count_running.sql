-- Live leases by kind; an expired one counts against no limit.
WITH input AS MATERIALIZED (
    SELECT $1::jsonb AS j
), clock AS MATERIALIZED (
    SELECT coalesce((j->>'now')::timestamptz, clock_timestamp()) AS now FROM input
)
SELECT coalesce(json_object_agg(live.kind, live.jobs), '{}'::json)::text
FROM (
    SELECT job.kind, count(*) AS jobs FROM tenure_jobs AS job, input, clock
    WHERE job.state = 'running' AND job.lease_expires_at > clock.now
        AND job.kind = ANY (ARRAY(SELECT jsonb_array_elements_text(input.j->'kinds')))
    GROUP BY job.kind
) AS live
