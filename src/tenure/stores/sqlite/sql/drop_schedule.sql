DELETE FROM tenure_schedules WHERE id = ? AND revision = ? RETURNING id
