SELECT coalesce(json_agg(nextval('tenure_job_seq')), '[]'::json)::text
FROM generate_series(1, ($1::jsonb->>'count')::integer)
