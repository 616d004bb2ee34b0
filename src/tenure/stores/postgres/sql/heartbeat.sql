-- Renews what stands; of what is not renewed, `standing` tells whether somebody's lock or a lost lease was why.
WITH input AS MATERIALIZED (
    SELECT $1::jsonb AS j
), clock AS MATERIALIZED (
    SELECT coalesce((j->>'now')::timestamptz, clock_timestamp()) AS now FROM input
), beats AS MATERIALIZED (
    SELECT said.* FROM input, jsonb_to_recordset(input.j->'beats') AS said (job_id uuid, token text, progress text)
), held AS MATERIALIZED (
    SELECT job.id FROM tenure_jobs AS job
    WHERE job.id = ANY (ARRAY(SELECT job_id FROM beats)) AND job.state = 'running'
    FOR NO KEY UPDATE SKIP LOCKED
), renewed AS (
    UPDATE tenure_jobs AS job
    SET heartbeat_at = clock.now,
        progress = coalesce(beats.progress, job.progress),
        progress_at = CASE WHEN beats.progress IS NULL THEN job.progress_at ELSE clock.now END,
        lease_expires_at = least(
            clock.now + make_interval(secs => job.lease_seconds),
            job.must_end_at + make_interval(secs => (input.j->>'grace')::double precision),
            CASE WHEN beats.progress IS NULL THEN coalesce(job.progress_at, job.started_at) ELSE clock.now END
                + make_interval(secs => (job.policy->>'progress_timeout')::double precision)
                + make_interval(secs => (input.j->>'grace')::double precision)
        )
    FROM beats, clock, input
    WHERE job.id = ANY (ARRAY(SELECT id FROM held)) AND job.id = beats.job_id AND job.lease_token = beats.token
        AND job.state = 'running' AND job.lease_expires_at > clock.now
    RETURNING job.id, job.lease_token, job.lease_expires_at, job.cancel_requested_at
), standing AS MATERIALIZED (
    SELECT job.id, job.lease_token, job.cancel_requested_at FROM tenure_jobs AS job
    WHERE job.id = ANY (ARRAY(SELECT job_id FROM beats EXCEPT SELECT id FROM held)) AND job.state = 'running'
)
SELECT coalesce(json_agg(json_build_object(
    'job_id', beats.job_id,
    'held', renewed.id IS NOT NULL OR standing.id IS NOT NULL,
    'expires_at', renewed.lease_expires_at,
    'cancel_requested', coalesce(renewed.cancel_requested_at, standing.cancel_requested_at) IS NOT NULL
)), '[]'::json)::text
FROM beats
LEFT JOIN renewed ON renewed.id = beats.job_id AND renewed.lease_token = beats.token
LEFT JOIN standing ON standing.id = beats.job_id AND standing.lease_token = beats.token
