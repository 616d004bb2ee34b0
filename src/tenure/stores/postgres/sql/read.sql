SELECT coalesce(json_agg(job), '[]'::json)::text
FROM tenure_jobs AS job
WHERE job.id = ANY (ARRAY(SELECT jsonb_array_elements_text($1::jsonb->'ids')::uuid))
