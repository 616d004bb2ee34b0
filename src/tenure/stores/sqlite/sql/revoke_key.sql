UPDATE tenure_keys SET revoked_at = coalesce(revoked_at, ?) WHERE id = ?
RETURNING {key_columns}
