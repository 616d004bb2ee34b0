SELECT coalesce(json_agg(json_build_array(queue, within, share) ORDER BY queue), '[]'::json)::text
FROM (SELECT $1::jsonb AS j) AS input CROSS JOIN tenure_objectives
