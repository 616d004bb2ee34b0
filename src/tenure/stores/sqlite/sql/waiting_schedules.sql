SELECT tenant, name FROM tenure_schedules WHERE waiting_at IS NOT NULL AND paused_at IS NULL
ORDER BY tenant, name LIMIT ?
