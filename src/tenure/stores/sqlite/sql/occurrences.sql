SELECT {occurrence_columns} FROM tenure_occurrences WHERE schedule_id = ? AND id < ? ORDER BY id DESC LIMIT ?
