UPDATE tenure_meta SET value = max({high_water}, ?) WHERE name = 'clock' RETURNING value
