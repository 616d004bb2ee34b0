SELECT coalesce(json_agg(checkpoint ORDER BY checkpoint.name), '[]'::json)::text
FROM tenure_checkpoints AS checkpoint
WHERE checkpoint.job_id = ($1::jsonb->>'job_id')::uuid
