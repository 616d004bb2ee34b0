-- The live leases of one claim, found among the running rows by the kinds that run at all.
WITH input AS MATERIALIZED (
    SELECT $1::jsonb AS j
), clock AS MATERIALIZED (
    SELECT coalesce((j->>'now')::timestamptz, clock_timestamp()) AS now FROM input
)
SELECT coalesce(json_agg(job ORDER BY job.fencing_token), '[]'::json)::text
FROM tenure_jobs AS job, input, clock
WHERE job.state = 'running' AND job.claim_id = input.j->>'claim_id' AND job.worker = input.j->>'worker'
    AND job.lease_expires_at > clock.now
