SELECT json_build_object('count', count(*))::text
FROM tenure_effects AS effect WHERE effect.job_id = ($1::jsonb->>'job_id')::uuid
