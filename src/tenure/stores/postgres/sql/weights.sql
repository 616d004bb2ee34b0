SELECT coalesce(json_object_agg(rule.tenant, rule.weight), '{}'::json)::text
FROM (SELECT $1::jsonb AS j) AS input CROSS JOIN tenure_flow AS rule
WHERE rule.weight IS NOT NULL AND coalesce(nullif(j->'tenants', 'null') ? rule.tenant, true)
