SELECT coalesce(json_agg(redrive), '[]'::json)::text
FROM tenure_redrives AS redrive WHERE redrive.id = ($1::jsonb->>'id')::uuid
