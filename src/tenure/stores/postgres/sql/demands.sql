SELECT {demands_told}::text FROM (SELECT $1::jsonb) AS input
