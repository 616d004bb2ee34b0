SELECT {effect_columns_asked} FROM tenure_effects WHERE job_id = ?1 ORDER BY name, key LIMIT ?2 OFFSET ?3
