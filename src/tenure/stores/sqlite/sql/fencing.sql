UPDATE tenure_meta SET value = value + ? WHERE name = 'fencing' RETURNING value
