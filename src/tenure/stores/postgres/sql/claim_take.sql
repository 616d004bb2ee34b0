-- Takes the chosen jobs, in their order; those that somebody has taken meanwhile are left out.
WITH input AS MATERIALIZED (
    SELECT $1::jsonb AS j
), clock AS MATERIALIZED (
    SELECT coalesce((j->>'now')::timestamptz, clock_timestamp()) AS now FROM input
), {claim_asked}, chosen AS MATERIALIZED (
    SELECT (job->>0)::uuid AS id, (job->>1)::integer AS ran_version, nth
    FROM input, jsonb_array_elements(j->'chosen') WITH ORDINALITY AS of (job, nth)
), held AS MATERIALIZED (
    SELECT job.ctid AS place, chosen.ran_version, chosen.nth
    FROM chosen CROSS JOIN clock JOIN tenure_jobs AS job ON job.id = chosen.id
    WHERE job.state = 'ready' AND (job.deadline IS NULL OR job.deadline > clock.now)
    FOR NO KEY UPDATE OF job SKIP LOCKED
), numbered AS MATERIALIZED (
    SELECT place, ran_version, row_number() OVER (ORDER BY nth) AS n FROM held
), {claim_granted}
SELECT json_build_object(
    'now', clock.now, 'leases', CASE WHEN leases.taken > 0 THEN leases.columns END
)::text
FROM clock CROSS JOIN leases
