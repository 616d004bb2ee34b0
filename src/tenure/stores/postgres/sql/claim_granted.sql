-- A lease for each numbered row. A thousand fencing tokens for each number of the sequence, drawn when the rows are
-- held: a job that came back meanwhile has a lower one.
blocks AS MATERIALIZED (
    SELECT ARRAY(SELECT nextval('tenure_fencing') FROM generate_series(1, (jobs + 999) / 1000)) AS firsts
    FROM (SELECT count(*) AS jobs FROM numbered) AS counted
), granted AS MATERIALIZED (
    SELECT
        place, ran_version, n, request.tokens->>(n - 1)::integer AS token,
        blocks.firsts[(n + 999) / 1000] + (n - 1) % 1000 AS fencing_token
    FROM numbered, request, blocks
), claimed AS (
    UPDATE tenure_jobs AS job
    SET state = 'running', revision = job.revision + 1, updated_at = clock.now, attempt = job.attempt + 1,
        lease_token = granted.token, fencing_token = granted.fencing_token, claim_id = request.claim_id,
        worker = request.worker, holder = request.holder, ran_version = granted.ran_version,
        lease_seconds = request.lease_seconds, started_at = clock.now, heartbeat_at = clock.now,
        must_end_at = least(clock.now + make_interval(secs => job.run_time_limit), job.deadline),
        lease_expires_at = least(
            clock.now + request.lease,
            least(clock.now + make_interval(secs => job.run_time_limit), job.deadline) + request.grace,
            clock.now + make_interval(secs => (job.policy->>'progress_timeout')::double precision) + request.grace
        )
    FROM granted, request, clock
    WHERE job.ctid = granted.place
    RETURNING
        granted.n, job.id, job.fencing_token, job.attempt, job.kind, job.version, job.tenant, job.payload, job.run_at,
        job.lease_expires_at, job.must_end_at, job.deadline, job.tries, job.max_attempts, job.tags, job.trace
), leases AS (
    -- Column by column: naming the type of each value of each row costs more than the rest of the answer.
    SELECT
        count(*) AS taken,
        json_build_array(
            json_agg(n - 1), json_agg(id), json_agg(fencing_token), json_agg(attempt), json_agg(kind),
            json_agg(version), json_agg(tenant), json_agg(payload), json_agg(run_at), json_agg(lease_expires_at),
            json_agg(must_end_at), json_agg(deadline), json_agg(tries), json_agg(max_attempts), json_agg(tags),
            json_agg(trace)
        ) AS columns
    FROM (SELECT * FROM claimed ORDER BY n) AS ordered
)
