INSERT OR REPLACE INTO tenure_checkpoints ({checkpoint_columns}) VALUES ({checkpoint_values})
