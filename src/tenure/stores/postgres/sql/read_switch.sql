SELECT coalesce(json_agg(switch), '[]'::json)::text
FROM tenure_switches AS switch WHERE switch.name = $1::jsonb->>'switch'
