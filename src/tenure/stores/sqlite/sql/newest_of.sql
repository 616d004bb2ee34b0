SELECT id FROM tenure_jobs
WHERE tenant = ? AND kind = ? AND supersession_key = ? AND supersession_key IS NOT NULL
ORDER BY seq DESC LIMIT 1
