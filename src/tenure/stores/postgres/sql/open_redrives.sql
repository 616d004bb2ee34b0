SELECT coalesce(json_agg(redrive.id ORDER BY redrive.id), '[]'::json)::text
FROM tenure_redrives AS redrive, (SELECT $1::jsonb) AS input
WHERE redrive.state IN ('freezing', 'running') OR redrive.redriven > 0
