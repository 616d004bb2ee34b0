SELECT coalesce(json_object_agg(rule.queue, {relief_json}), '{}'::json)::text
FROM (SELECT $1::jsonb AS j) AS input CROSS JOIN tenure_flow AS rule
WHERE rule.tenant = '' AND rule.kind = '' AND (rule.aging IS NOT NULL OR rule.reserve_percent IS NOT NULL)
