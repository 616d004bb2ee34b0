SELECT coalesce(json_agg(attempt ORDER BY attempt.number), '[]'::json)::text
FROM (SELECT $1::jsonb AS j) AS input CROSS JOIN LATERAL (
    SELECT * FROM tenure_attempts AS any_of
    WHERE any_of.job_id = (input.j->>'job_id')::uuid AND any_of.number > (input.j->>'after')::integer
    ORDER BY any_of.number LIMIT (input.j->>'limit')::integer
) AS attempt
