SELECT queue, aging, reserve_percent, reserve_most FROM tenure_flow
WHERE tenant = '' AND kind = '' AND (aging IS NOT NULL OR reserve_percent IS NOT NULL)
