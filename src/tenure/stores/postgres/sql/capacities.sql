SELECT coalesce(json_agg(json_build_array(queue, tenant, jobs) ORDER BY queue, tenant), '[]'::json)::text
FROM (SELECT $1::jsonb AS j) AS input CROSS JOIN tenure_capacities
