SELECT coalesce(json_agg(line ORDER BY line.seq DESC), '[]'::json)::text
FROM (SELECT $1::jsonb AS j) AS input CROSS JOIN LATERAL (
    SELECT * FROM tenure_audit
    WHERE seq < coalesce((input.j->>'before')::bigint, 9223372036854775807)
    ORDER BY seq DESC LIMIT (input.j->>'limit')::integer
) AS line
