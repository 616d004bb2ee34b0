SELECT tenant, kind, until, code FROM tenure_slowdowns
WHERE until > max({high_water}, ?1) AND (?2 IS NULL OR kind IN (SELECT value FROM json_each(?2)))
ORDER BY tenant, kind
