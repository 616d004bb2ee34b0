INSERT INTO tenure_audit (at, who, verb, subject, tenant, why, detail) VALUES (?, ?, ?, ?, ?, ?, ?)
