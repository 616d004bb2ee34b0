SELECT {key_columns} FROM tenure_keys
WHERE ?1 IS NULL OR (created_at, id) < (SELECT created_at, id FROM tenure_keys WHERE id = ?1)
ORDER BY created_at DESC, id DESC LIMIT ?2
