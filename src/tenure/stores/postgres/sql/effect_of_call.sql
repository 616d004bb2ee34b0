SELECT coalesce(json_agg(effect), '[]'::json)::text
FROM (SELECT $1::jsonb AS j) AS input CROSS JOIN LATERAL (
    SELECT * FROM tenure_effects AS any_of
    WHERE any_of.job_id = (input.j->>'job_id')::uuid AND any_of.name = input.j->>'effect'
        AND any_of.request_id = input.j->>'request_id'
    ORDER BY any_of.key LIMIT 1
) AS effect
