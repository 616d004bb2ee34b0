INSERT INTO tenure_jobs (
    id, tenant, queue, kind, version, priority, state, args_digest, idempotency_key, tags, trace,
    created_at, run_at, deadline, updated_at, max_attempts, run_time_limit, policy, payload,
    supersession_key, supersedes, burst_at, superseded_by, ended_at, end_code
) VALUES ({newer_values})
ON CONFLICT DO NOTHING
RETURNING id, seq
