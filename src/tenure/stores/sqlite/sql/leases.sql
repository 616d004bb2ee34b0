SELECT {lease_columns} FROM tenure_jobs
WHERE state = 'running' AND claim_id = ? AND worker = ?
  AND lease_expires_at > (SELECT max(value, ?) FROM tenure_meta WHERE name = 'clock')
ORDER BY fencing_token
