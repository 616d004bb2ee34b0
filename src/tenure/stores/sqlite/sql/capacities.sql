SELECT queue, tenant, jobs FROM tenure_capacities ORDER BY queue, tenant
