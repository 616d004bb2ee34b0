SELECT tenure_stop_hints()::text FROM (SELECT $1::jsonb) AS input
