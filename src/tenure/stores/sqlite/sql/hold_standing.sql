SELECT {job_columns} FROM tenure_jobs
WHERE tenant = ? AND kind = ? AND supersession_key = ? AND supersession_key IS NOT NULL
    AND superseded_by IS NULL AND pruned_at IS NULL AND state IN ('scheduled', 'ready', 'blocked', 'failed')
