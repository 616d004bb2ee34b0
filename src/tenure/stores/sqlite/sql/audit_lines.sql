SELECT seq, at, who, verb, subject, tenant, why, detail FROM tenure_audit
WHERE seq < ?1 AND (?2 IS NULL OR tenant IN (SELECT value FROM json_each(?2)))
ORDER BY seq DESC LIMIT ?3
