SELECT json_build_object('past', tenure_seed_hints(
    (j->>'past')::uuid, coalesce((j->>'now')::timestamptz, clock_timestamp()), (j->>'most')::integer
))::text
FROM (SELECT $1::jsonb AS j) AS input
