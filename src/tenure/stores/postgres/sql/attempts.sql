SELECT coalesce(json_agg(attempt ORDER BY attempt.job_id, attempt.number), '[]'::json)::text
FROM tenure_attempts AS attempt
WHERE attempt.job_id = ANY (ARRAY(SELECT jsonb_array_elements_text($1::jsonb->'ids')::uuid))
