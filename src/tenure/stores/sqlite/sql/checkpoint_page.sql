SELECT {checkpoint_columns} FROM tenure_checkpoints WHERE job_id = ? AND name > ? ORDER BY name LIMIT ?
