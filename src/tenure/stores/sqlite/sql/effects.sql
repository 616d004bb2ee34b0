SELECT {effect_columns} FROM tenure_effects
WHERE job_id IN (SELECT value FROM json_each(?))
ORDER BY name, key
