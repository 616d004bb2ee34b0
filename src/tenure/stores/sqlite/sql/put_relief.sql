INSERT INTO tenure_flow (queue, kind, tenant, aging, reserve_percent, reserve_most) VALUES (?1, '', '', ?2, ?3, ?4)
ON CONFLICT (tenant, kind, queue, resource) DO UPDATE SET aging = ?2, reserve_percent = ?3, reserve_most = ?4
