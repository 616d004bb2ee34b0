INSERT INTO tenure_slowdowns (tenant, kind, until, code) VALUES (?1, ?2, ?3, ?4)
ON CONFLICT (tenant, kind) DO UPDATE SET until = ?3, code = ?4 WHERE until < ?3
