SELECT {kind_columns}
FROM tenure_kinds
WHERE name > ?1 AND (?2 IS NULL OR name IN (SELECT value FROM json_each(?2)))
ORDER BY name LIMIT ?3
