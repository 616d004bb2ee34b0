INSERT INTO tenure_capacities (queue, tenant, jobs) VALUES (?1, ?2, ?3)
ON CONFLICT (queue, tenant) DO UPDATE SET jobs = ?3
