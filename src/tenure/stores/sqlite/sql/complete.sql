UPDATE tenure_jobs SET
    state = 'succeeded',
    revision = revision + 1,
    result = json_extract(done.value, '$[3]'),
    ended_at = ?1,
    updated_at = ?1,
    end_code = NULL,
    lease_token = NULL, fencing_token = NULL, claim_id = NULL, worker = NULL, holder = NULL, ran_version = NULL,
    lease_seconds = NULL, started_at = NULL, heartbeat_at = NULL, lease_expires_at = NULL, must_end_at = NULL,
    progress = NULL, progress_at = NULL, cancel_requested_at = NULL
FROM json_each(?2) AS done
WHERE tenure_jobs.id = json_extract(done.value, '$[0]')
  AND lease_token = json_extract(done.value, '$[1]') AND state = 'running' AND instr(policy, '"effects"') = 0 AND order_place IS NULL
RETURNING tenure_jobs.id
