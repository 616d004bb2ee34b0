INSERT OR IGNORE INTO tenure_redrives ({redrive_columns}) VALUES ({redrive_values}) RETURNING id
