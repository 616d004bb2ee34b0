SELECT tenant, name FROM tenure_schedules WHERE next_at <= ? ORDER BY next_at, tenant, name LIMIT ?
