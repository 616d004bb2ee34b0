SELECT to_json(coalesce(($1::jsonb->>'now')::timestamptz, clock_timestamp()))::text
