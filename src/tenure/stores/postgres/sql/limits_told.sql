    'now', clock.now,
    'limits', coalesce((
        SELECT json_agg({limit_json} ORDER BY rule.queue, rule.kind, rule.tenant, rule.resource) FROM held AS rule
    ), '[]'::json)
