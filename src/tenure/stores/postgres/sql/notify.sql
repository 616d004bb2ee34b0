SELECT pg_notify('tenure', hint)::text
FROM jsonb_array_elements_text($1::jsonb->'hints') AS hint
