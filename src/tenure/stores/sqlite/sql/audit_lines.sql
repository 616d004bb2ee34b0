SELECT seq, at, who, verb, subject, tenant, kind, queue, why, detail FROM tenure_audit
WHERE seq < ?1
    AND (?2 IS NULL OR tenant IN (SELECT value FROM json_each(?2)))
    AND (?3 IS NULL OR kind IN (SELECT value FROM json_each(?3)))
    AND (?4 IS NULL OR queue IN (SELECT value FROM json_each(?4)))
ORDER BY seq DESC LIMIT ?5
