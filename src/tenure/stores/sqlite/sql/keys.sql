SELECT {key_columns} FROM tenure_keys ORDER BY created_at DESC, id DESC
