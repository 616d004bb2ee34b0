SELECT id, lease_token, must_end_at, policy, started_at, progress_at, lease_seconds, cancel_requested_at
FROM tenure_jobs
WHERE id IN (SELECT value FROM json_each(?)) AND state = 'running' AND lease_expires_at > ?
