SELECT {key_columns} FROM tenure_keys WHERE id = ?
