INSERT INTO tenure_attempts ({attempt_columns}) VALUES ({attempt_values})
