-- running to succeeded, and the history row, for each token that stands.
WITH input AS MATERIALIZED (
    SELECT j, CASE WHEN j ? 'wait' THEN set_config('lock_timeout', j->>'wait', true) END
    FROM (SELECT $1::jsonb AS j) AS given
), clock AS MATERIALIZED (
    SELECT coalesce((j->>'now')::timestamptz, clock_timestamp()) AS now FROM input
), -- begin complete
done AS MATERIALIZED (
    SELECT (said->>0)::uuid AS job_id, said->>1 AS token, said->>2 AS result, said->>3 AS progress
    FROM input, jsonb_array_elements(input.j->'done') AS said
), -- Writes the version of the row that it has read, and no other: what goes into history is what stood there. A row
-- that somebody writes meanwhile is left. A job has a token only while it runs; its state is not asked for, or the
-- index of running jobs would be taken.
completed AS (
    UPDATE tenure_jobs AS job
    SET state = 'succeeded', revision = job.revision + 1, updated_at = clock.now, ended_at = clock.now,
        end_code = NULL, result = seen.result,
        lease_token = NULL, fencing_token = NULL, claim_id = NULL, worker = NULL, holder = NULL, ran_version = NULL,
        lease_seconds = NULL, started_at = NULL, heartbeat_at = NULL, lease_expires_at = NULL, must_end_at = NULL,
        progress = NULL, progress_at = NULL, cancel_requested_at = NULL
    FROM clock, (
        SELECT
            read.ctid AS place, read.xmin AS writer, read.fencing_token, read.worker, read.holder, read.ran_version,
            read.started_at, read.heartbeat_at, read.cancel_requested_at,
            done.token, done.result, coalesce(done.progress, read.progress) AS progress
        FROM tenure_jobs AS read JOIN done ON done.job_id = read.id
        WHERE read.id = ANY (ARRAY(SELECT job_id FROM done)) AND done.token = read.lease_token
            AND read.policy->'effects' IS NULL AND read.order_place IS NULL
    ) AS seen
    WHERE job.ctid = seen.place AND job.xmin = seen.writer
    RETURNING
        job.id, job.attempt, job.version, job.run_at, job.deadline, seen.fencing_token, seen.worker, seen.holder,
        seen.ran_version, seen.started_at, seen.heartbeat_at, seen.cancel_requested_at, seen.token, seen.progress
), history AS (
    INSERT INTO tenure_attempts (
        job_id, number, fencing_token, token_hash, worker, holder, version, ran_version, claimed_run_at, started_at,
        heartbeat_at, ended_at, ended_by, outcome, begun, progress, after_cancel, after_deadline
    )
    SELECT
        ended.id, ended.attempt, ended.fencing_token, encode(sha256(convert_to(ended.token, 'UTF8')), 'hex'),
        ended.worker, ended.holder, ended.version, ended.ran_version, ended.run_at, ended.started_at,
        ended.heartbeat_at, clock.now, 'complete', 'succeeded', true, ended.progress,
        ended.cancel_requested_at IS NOT NULL, ended.deadline IS NOT NULL AND clock.now > ended.deadline
    FROM completed AS ended, clock
) -- end complete
SELECT coalesce((SELECT json_agg(id) FROM completed), '[]'::json)::text
