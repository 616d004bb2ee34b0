WITH touched AS (
    UPDATE tenure_meta AS meta SET database_id = meta.database_id FROM (SELECT $1::jsonb) AS input RETURNING meta.only_row
)
SELECT json_build_object('count', count(*))::text FROM touched
