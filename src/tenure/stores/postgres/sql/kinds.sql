SELECT coalesce(json_agg(kind ORDER BY kind.name), '[]'::json)::text
FROM tenure_kinds AS kind, (SELECT $1::jsonb) AS input
