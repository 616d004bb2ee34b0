SELECT coalesce(json_agg(kind ORDER BY kind.name), '[]'::json)::text
FROM (
    SELECT any_of.*, rule.concurrency, coalesce(rule.slots, 1) AS slots, coalesce(rule.uses, '{}') AS uses
    FROM tenure_kinds AS any_of LEFT JOIN tenure_flow AS rule
        ON rule.tenant = '' AND rule.kind = any_of.name AND rule.queue = '' AND rule.resource = ''
) AS kind, (SELECT $1::jsonb) AS input
