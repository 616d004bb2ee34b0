SELECT {checkpoint_columns} FROM tenure_checkpoints WHERE job_id = ? ORDER BY name
