UPDATE tenure_flow SET paused_at = NULL, paused_by = NULL, paused_why = NULL
WHERE queue = ? AND kind = ? AND tenant = ? AND resource = ? AND paused_at IS NOT NULL
RETURNING queue
