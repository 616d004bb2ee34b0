UPDATE tenure_keys SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL
RETURNING {key_columns}
