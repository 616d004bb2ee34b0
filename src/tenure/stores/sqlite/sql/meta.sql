SELECT value FROM tenure_meta WHERE name = ?
