json_build_object(
        'place', json_build_array(rule.queue, rule.kind, rule.tenant, rule.resource), 'concurrency', rule.concurrency,
        'rate', CASE WHEN rule.starts IS NOT NULL THEN json_build_object(
            'starts', rule.starts, 'seconds', rule.seconds, 'burst', rule.burst
        ) END,
        'tokens', coalesce(rule.tokens, 0), 'filled_at', rule.filled_at,
        'is_declared', rule.is_declared
    )