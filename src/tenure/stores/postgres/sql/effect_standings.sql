SELECT coalesce(
    json_agg(json_build_array(effect.name, effect.state) ORDER BY effect.name, effect.key), '[]'::json
)::text
FROM tenure_effects AS effect WHERE effect.job_id = ($1::jsonb->>'job_id')::uuid
