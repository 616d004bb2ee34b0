SELECT {effect_columns} FROM tenure_effects
WHERE state IN ('pending', 'uncertain') AND (?1 IS NULL OR tenant IN (SELECT value FROM json_each(?1)))
ORDER BY updated_at, tenant, name, key LIMIT ?2
