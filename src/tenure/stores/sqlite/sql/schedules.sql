SELECT {schedule_columns} FROM tenure_schedules
WHERE (tenant, name) > (?1, ?2)
    AND (?3 IS NULL OR tenant IN (SELECT value FROM json_each(?3)))
    AND (?4 IS NULL OR kind IN (SELECT value FROM json_each(?4)))
    AND (?5 IS NULL OR queue IN (SELECT value FROM json_each(?5)))
ORDER BY tenant, name LIMIT ?6
