-- No tenants said: every line, with those of the whole store.
SELECT coalesce(json_agg(line ORDER BY line.seq DESC), '[]'::json)::text
FROM (SELECT $1::jsonb AS j) AS input CROSS JOIN LATERAL (
    SELECT * FROM tenure_audit AS any_of
    WHERE any_of.seq < coalesce((input.j->>'before')::bigint, 9223372036854775807)
        AND (jsonb_typeof(input.j->'tenants') = 'null' OR input.j->'tenants' ? any_of.tenant)
    ORDER BY any_of.seq DESC LIMIT (input.j->>'limit')::integer
) AS line
