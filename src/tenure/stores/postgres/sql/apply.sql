-- Decided transitions, each where the row still has the revision that the decision saw; history with them.
WITH input AS MATERIALIZED (
    SELECT $1::jsonb AS j
), decided AS MATERIALIZED (
    SELECT after.* FROM input, jsonb_to_recordset(input.j->'jobs') AS after (
        id uuid, seen integer,
        queue text, version integer, priority smallint, state tenure_state, revision integer, payload text, result text,
        tags json, run_at timestamptz, deadline timestamptz, ended_at timestamptz, updated_at timestamptz,
        max_attempts integer, run_time_limit double precision, policy json, attempt integer, tries integer,
        unknowns integer, losses integer, throttles integer, releases integer, returns integer, snoozes integer,
        first_error_code text, last_error_code text, error text, end_code text, superseded_by text,
        pruned_at timestamptz, payload_expired_at timestamptz, lease_token text, fencing_token bigint, claim_id text, worker text, holder text,
        ran_version integer, lease_seconds double precision, started_at timestamptz, heartbeat_at timestamptz,
        lease_expires_at timestamptz, must_end_at timestamptz, progress text, progress_at timestamptz,
        cancel_requested_at timestamptz, order_place bigint
    )
), applied AS (
    UPDATE tenure_jobs AS job
    SET
        queue = decided.queue, version = decided.version, priority = decided.priority, state = decided.state,
        revision = decided.revision, payload = decided.payload, result = decided.result, tags = decided.tags,
        run_at = decided.run_at, deadline = decided.deadline, ended_at = decided.ended_at,
        updated_at = decided.updated_at, max_attempts = decided.max_attempts,
        run_time_limit = decided.run_time_limit, policy = decided.policy, attempt = decided.attempt,
        tries = decided.tries, unknowns = decided.unknowns, losses = decided.losses, throttles = decided.throttles,
        releases = decided.releases, returns = decided.returns, snoozes = decided.snoozes,
        first_error_code = decided.first_error_code, last_error_code = decided.last_error_code,
        error = decided.error, end_code = decided.end_code, superseded_by = decided.superseded_by,
        pruned_at = decided.pruned_at, payload_expired_at = decided.payload_expired_at, lease_token = decided.lease_token, fencing_token = decided.fencing_token,
        claim_id = decided.claim_id, worker = decided.worker, holder = decided.holder,
        ran_version = decided.ran_version, lease_seconds = decided.lease_seconds, started_at = decided.started_at,
        heartbeat_at = decided.heartbeat_at, lease_expires_at = decided.lease_expires_at,
        must_end_at = decided.must_end_at, progress = decided.progress, progress_at = decided.progress_at,
        cancel_requested_at = decided.cancel_requested_at, order_place = decided.order_place
    FROM decided
    WHERE job.id = decided.id AND job.revision = decided.seen
    RETURNING job.id
), history AS (
    INSERT INTO tenure_attempts (
        job_id, number, fencing_token, token_hash, worker, holder, version, ran_version, claimed_run_at, started_at,
        heartbeat_at, lease_lost_at, ended_at, ended_by, outcome, begun, error_class, error_code, error, traceback,
        progress, after_cancel, after_deadline, late_report
    )
    SELECT
        ended.job_id, ended.number, ended.fencing_token, ended.token_hash, ended.worker, ended.holder, ended.version,
        ended.ran_version, ended.claimed_run_at, ended.started_at, ended.heartbeat_at, ended.lease_lost_at,
        ended.ended_at, ended.ended_by, ended.outcome, ended.begun, ended.error_class, ended.error_code, ended.error,
        ended.traceback, ended.progress, ended.after_cancel, ended.after_deadline, ended.late_report
    FROM applied, input, jsonb_to_recordset(input.j->'attempts') AS ended (
        job_id uuid, number integer, fencing_token bigint, token_hash text, worker text, holder text,
        version integer, ran_version integer, claimed_run_at timestamptz, started_at timestamptz,
        heartbeat_at timestamptz, lease_lost_at timestamptz, ended_at timestamptz, ended_by text, outcome text,
        begun boolean, error_class text, error_code text, error text, traceback text, progress text,
        after_cancel boolean, after_deadline boolean, late_report json
    )
    WHERE ended.job_id = applied.id
)
SELECT coalesce(json_agg(id), '[]'::json)::text FROM applied
