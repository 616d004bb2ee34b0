UPDATE tenure_schedules SET {schedule_changes} WHERE id = ? AND revision = ? RETURNING id
