INSERT INTO tenure_flow (queue, kind, tenant, weight) VALUES ('', '', ?1, ?2)
ON CONFLICT (tenant, kind, queue, resource) DO UPDATE SET weight = ?2
