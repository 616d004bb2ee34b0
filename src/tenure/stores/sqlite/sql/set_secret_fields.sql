UPDATE tenure_kinds SET secret = ?2, secret_result = ?3 WHERE name = ?1
RETURNING name
