WITH dropped AS (
    DELETE FROM tenure_switches WHERE name = $1::jsonb->>'switch' RETURNING name
)
SELECT json_build_object('count', count(*))::text FROM dropped
