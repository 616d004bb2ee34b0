INSERT INTO tenure_attempts (
    job_id, number, fencing_token, token_hash, worker, holder, version, ran_version, claimed_run_at, started_at,
    heartbeat_at, ended_at, ended_by, outcome, progress, after_cancel, after_deadline
)
SELECT tenure_jobs.id, attempt, fencing_token, json_extract(done.value, '$[2]'), worker, holder, version, ran_version, run_at,
    started_at, heartbeat_at, ?1, 'complete', 'succeeded', coalesce(json_extract(done.value, '$[4]'), progress),
    cancel_requested_at IS NOT NULL, coalesce(deadline < ?1, 0)
FROM json_each(?2) AS done
CROSS JOIN tenure_jobs
WHERE tenure_jobs.id = json_extract(done.value, '$[0]') AND lease_token = json_extract(done.value, '$[1]') AND state = 'running'
  AND instr(policy, '"effects"') = 0 AND order_place IS NULL
