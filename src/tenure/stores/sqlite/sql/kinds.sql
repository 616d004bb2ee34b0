SELECT {kind_columns}
FROM tenure_kinds ORDER BY name
