INSERT INTO tenure_audit (at, who, verb, subject, tenant, kind, queue, why, detail) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
