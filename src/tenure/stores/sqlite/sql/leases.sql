SELECT {lease_columns} FROM tenure_jobs
WHERE state = 'running' AND claim_id = ? AND worker = ?
  AND lease_expires_at > max({high_water}, ?)
ORDER BY fencing_token
