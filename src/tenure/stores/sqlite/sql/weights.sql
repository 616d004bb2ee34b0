SELECT tenant, weight FROM tenure_flow
WHERE weight IS NOT NULL AND (?1 IS NULL OR tenant IN (SELECT value FROM json_each(?1)))
