INSERT INTO tenure_keys ({key_columns}) VALUES ({key_values})
ON CONFLICT DO NOTHING
RETURNING id
