-- running to succeeded, and the history row, for each token that stands.
WITH input AS MATERIALIZED (
    SELECT j, CASE WHEN j ? 'wait' THEN set_config('lock_timeout', j->>'wait', true) END
    FROM (SELECT $1::jsonb AS j) AS given
), clock AS MATERIALIZED (
    SELECT coalesce((j->>'now')::timestamptz, clock_timestamp()) AS now FROM input
), -- begin complete
done AS MATERIALIZED (
    SELECT said.*
    FROM input, jsonb_to_recordset(input.j->'done') AS said (job_id uuid, token text, result text, progress text)
), -- A job has a token only while it runs. Its state is not asked for: the index of running jobs would be taken.
owned AS MATERIALIZED (
    SELECT
        job.id, job.attempt, job.fencing_token, job.worker, job.holder, job.version, job.ran_version, job.run_at,
        job.started_at, job.heartbeat_at, job.cancel_requested_at, job.deadline,
        done.token, done.result, coalesce(done.progress, job.progress) AS progress
    FROM tenure_jobs AS job JOIN done ON done.job_id = job.id
    WHERE job.id = ANY (ARRAY(SELECT job_id FROM done)) AND done.token = job.lease_token
        AND job.policy->'effects' IS NULL
    FOR NO KEY UPDATE OF job
), completed AS (
    UPDATE tenure_jobs AS job
    SET state = 'succeeded', revision = job.revision + 1, updated_at = clock.now, ended_at = clock.now,
        end_code = NULL, result = owned.result,
        lease_token = NULL, fencing_token = NULL, claim_id = NULL, worker = NULL, holder = NULL, ran_version = NULL,
        lease_seconds = NULL, started_at = NULL, heartbeat_at = NULL, lease_expires_at = NULL, must_end_at = NULL,
        progress = NULL, progress_at = NULL, cancel_requested_at = NULL
    FROM owned, clock
    WHERE job.id = owned.id
    RETURNING job.id
), history AS (
    INSERT INTO tenure_attempts (
        job_id, number, fencing_token, token_hash, worker, holder, version, ran_version, claimed_run_at, started_at,
        heartbeat_at, ended_at, ended_by, outcome, begun, progress, after_cancel, after_deadline
    )
    SELECT
        owned.id, owned.attempt, owned.fencing_token, encode(sha256(convert_to(owned.token, 'UTF8')), 'hex'),
        owned.worker, owned.holder, owned.version, owned.ran_version, owned.run_at, owned.started_at,
        owned.heartbeat_at, clock.now, 'complete', 'succeeded', true, owned.progress,
        owned.cancel_requested_at IS NOT NULL, owned.deadline IS NOT NULL AND clock.now > owned.deadline
    FROM owned, clock
) -- end complete
SELECT coalesce((SELECT json_agg(id) FROM completed), '[]'::json)::text
