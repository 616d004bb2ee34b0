    'now', clock.now,
    'limits', coalesce((
        SELECT json_agg({limit_json} ORDER BY rule.queue, rule.kind, rule.tenant) FROM held AS rule
    ), '[]'::json)
