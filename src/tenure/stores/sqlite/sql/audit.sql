INSERT INTO tenure_audit (at, who, verb, subject, why, detail) VALUES (?, ?, ?, ?, ?, ?)
