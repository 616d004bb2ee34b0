INSERT OR IGNORE INTO tenure_switches (name, who, why, at) VALUES (?, ?, ?, ?) RETURNING name
