INSERT INTO tenure_effects ({effect_columns}) VALUES ({effect_values})
ON CONFLICT DO NOTHING
RETURNING key
