DELETE FROM tenure_switches WHERE name = ? RETURNING name
