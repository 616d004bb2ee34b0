SELECT coalesce(json_agg(line ORDER BY line.seq DESC), '[]'::json)::text
FROM (
    SELECT * FROM tenure_audit ORDER BY seq DESC LIMIT ($1::jsonb->>'limit')::integer
) AS line
