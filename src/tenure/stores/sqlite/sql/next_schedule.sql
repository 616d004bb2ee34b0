SELECT min(next_at) FROM tenure_schedules WHERE next_at > ?
