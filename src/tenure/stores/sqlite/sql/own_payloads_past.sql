SELECT id FROM tenure_jobs INDEXED BY tenure_jobs_payloads
WHERE ended_at IS NOT NULL AND payload_expired_at IS NULL AND policy <> '{}'
    AND CASE WHEN json_valid(policy) THEN json_type(policy, '$.payload_retention') IN ('integer', 'real') END
    AND ended_at + CAST(round(json_extract(policy, '$.payload_retention') * 1000000) AS INTEGER) <= ?1
ORDER BY ended_at + CAST(round(json_extract(policy, '$.payload_retention') * 1000000) AS INTEGER) LIMIT ?2
