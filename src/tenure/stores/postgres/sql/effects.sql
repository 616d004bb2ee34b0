SELECT coalesce(json_agg(effect ORDER BY effect.name, effect.key), '[]'::json)::text
FROM tenure_effects AS effect
WHERE effect.job_id = ANY (ARRAY(SELECT jsonb_array_elements_text($1::jsonb->'ids')::uuid))
