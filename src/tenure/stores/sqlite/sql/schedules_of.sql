SELECT {schedule_columns} FROM tenure_schedules WHERE declared_by = ? ORDER BY tenant, name
