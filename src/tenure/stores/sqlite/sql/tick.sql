UPDATE tenure_meta SET value = max(value, ?) WHERE name = 'clock' RETURNING value
