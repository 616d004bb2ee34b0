SELECT {schedule_columns} FROM tenure_schedules WHERE tenant = ? AND name = ?
