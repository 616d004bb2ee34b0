-- What is not narrowed shows also the lines that concern all of it.
SELECT coalesce(json_agg(line ORDER BY line.seq DESC), '[]'::json)::text
FROM (SELECT $1::jsonb AS j) AS input CROSS JOIN LATERAL (
    SELECT * FROM tenure_audit AS any_of
    WHERE any_of.seq < coalesce((input.j->>'before')::bigint, 9223372036854775807)
        AND (jsonb_typeof(input.j->'tenants') = 'null' OR input.j->'tenants' ? any_of.tenant)
        AND (jsonb_typeof(input.j->'kinds') = 'null' OR input.j->'kinds' ? any_of.kind)
        AND (jsonb_typeof(input.j->'queues') = 'null' OR input.j->'queues' ? any_of.queue)
    ORDER BY any_of.seq DESC LIMIT (input.j->>'limit')::integer
) AS line
