SELECT tenant, kind, until, code FROM tenure_slowdowns
WHERE until > (SELECT max(value, ?) FROM tenure_meta WHERE name = 'clock')
ORDER BY tenant, kind
