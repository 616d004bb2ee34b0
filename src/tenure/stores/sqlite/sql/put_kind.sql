INSERT INTO tenure_kinds (
    name, versions, schema, queue, max_attempts, run_time_limit, policy, priority, remedies, secret, secret_result
)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
ON CONFLICT (name) DO UPDATE SET
    versions = ?2, schema = ?3, queue = ?4, max_attempts = ?5, run_time_limit = ?6, policy = ?7, priority = ?8,
    remedies = ?9, secret = ?10, secret_result = ?11
