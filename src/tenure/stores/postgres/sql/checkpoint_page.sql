SELECT coalesce(json_agg(checkpoint ORDER BY checkpoint.name), '[]'::json)::text
FROM (SELECT $1::jsonb AS j) AS input CROSS JOIN LATERAL (
    SELECT * FROM tenure_checkpoints AS any_of
    WHERE any_of.job_id = (input.j->>'job_id')::uuid AND any_of.name > (input.j->>'after')
    ORDER BY any_of.name LIMIT (input.j->>'limit')::integer
) AS checkpoint
