SELECT coalesce(json_agg(kind ORDER BY kind.name), '[]'::json)::text
FROM (SELECT $1::jsonb AS j) AS input CROSS JOIN LATERAL (
    SELECT any_of.*, rule.concurrency, coalesce(rule.slots, 1) AS slots, coalesce(rule.uses, '{}') AS uses
    FROM tenure_kinds AS any_of LEFT JOIN tenure_flow AS rule
        ON rule.tenant = '' AND rule.kind = any_of.name AND rule.queue = '' AND rule.resource = ''
    WHERE any_of.name > (input.j->>'after')
        AND (jsonb_typeof(input.j->'names') = 'null' OR input.j->'names' ? any_of.name)
    ORDER BY any_of.name LIMIT (input.j->>'limit')::integer
) AS kind
