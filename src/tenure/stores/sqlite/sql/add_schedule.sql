INSERT OR IGNORE INTO tenure_schedules ({schedule_columns}) VALUES ({schedule_values}) RETURNING id
