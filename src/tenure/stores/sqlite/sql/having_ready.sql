SELECT watched.value FROM json_each(?) AS watched
WHERE EXISTS (
    SELECT 1 FROM tenure_jobs INDEXED BY tenure_jobs_ready WHERE state = 'ready' AND queue = watched.value
)
AND NOT EXISTS (
    SELECT 1 FROM tenure_flow
    WHERE queue = watched.value AND kind = '' AND tenant = '' AND paused_at IS NOT NULL
)
