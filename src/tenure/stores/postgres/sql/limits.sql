SELECT coalesce(json_agg({limit_json} ORDER BY rule.queue, rule.kind, rule.tenant, rule.resource), '[]'::json)::text
FROM (SELECT $1::jsonb AS j) AS input CROSS JOIN tenure_flow AS rule
WHERE (rule.concurrency IS NOT NULL OR rule.starts IS NOT NULL)
    AND (
        jsonb_typeof(j->'places') = 'null'
        OR EXISTS (
            SELECT FROM jsonb_array_elements(j->'places') AS place
            WHERE place = jsonb_build_array(rule.queue, rule.kind, rule.tenant, rule.resource)
        )
    )
