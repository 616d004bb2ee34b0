SELECT tenant, kind, until, code FROM tenure_slowdowns
WHERE until > max({high_water}, ?)
ORDER BY tenant, kind
