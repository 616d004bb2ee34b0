SELECT tenant, kind, until, code FROM tenure_slowdowns
WHERE until > max({high_water}, ?) AND kind IN (SELECT value FROM json_each(?))
ORDER BY tenant, kind
