SELECT name, who, why, at FROM tenure_switches WHERE name = ?
