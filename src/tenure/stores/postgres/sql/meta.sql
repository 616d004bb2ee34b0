SELECT json_build_object('database_id', meta.database_id, 'digest_key', meta.digest_key)::text
FROM tenure_meta AS meta, (SELECT $1::jsonb) AS input
