SELECT tenure_start_hints()::text FROM (SELECT $1::jsonb) AS input
