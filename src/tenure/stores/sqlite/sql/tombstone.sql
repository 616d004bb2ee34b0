UPDATE tenure_jobs SET
    payload = NULL, result = NULL, error = NULL, tags = '[]', pruned_at = ?1,
    payload_expired_at = coalesce(payload_expired_at, ?1), updated_at = ?1, revision = revision + 1
WHERE id IN (SELECT value FROM json_each(?2)) AND pruned_at IS NULL AND ended_at IS NOT NULL
