SELECT coalesce(json_agg(effect ORDER BY effect.name, effect.key), '[]'::json)::text
FROM (SELECT $1::jsonb AS j) AS input CROSS JOIN LATERAL (
    SELECT * FROM tenure_effects AS any_of
    WHERE any_of.job_id = (input.j->>'job_id')::uuid
    ORDER BY any_of.name, any_of.key LIMIT (input.j->>'limit')::integer OFFSET (input.j->>'skip')::integer
) AS effect
