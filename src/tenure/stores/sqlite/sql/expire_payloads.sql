UPDATE tenure_jobs SET payload = NULL, payload_expired_at = ?1, updated_at = ?1, revision = revision + 1
WHERE id IN (SELECT value FROM json_each(?2)) AND payload_expired_at IS NULL AND ended_at IS NOT NULL
