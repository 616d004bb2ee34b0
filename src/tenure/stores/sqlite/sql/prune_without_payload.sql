SELECT id, idempotency_key IS NOT NULL AND ended_at > ?3 FROM tenure_jobs INDEXED BY tenure_jobs_without_payload
WHERE state = ?1 AND ended_at <= ?2 AND order_place IS NULL AND payload_expired_at IS NOT NULL AND pruned_at IS NULL
ORDER BY ended_at LIMIT ?4
