SELECT {frozen_columns} FROM tenure_redrive_jobs
WHERE redrive_id = ?1 AND place > ?2 AND (?3 IS NULL OR state = ?3)
ORDER BY place LIMIT ?4
