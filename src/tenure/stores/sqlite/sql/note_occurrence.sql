INSERT OR IGNORE INTO tenure_occurrences ({occurrence_columns}) VALUES ({occurrence_values})
