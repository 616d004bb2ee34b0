json_build_object(
        'aging', rule.aging,
        'reserve', CASE WHEN rule.reserve_percent IS NOT NULL THEN json_build_object(
            'percent', rule.reserve_percent, 'most', rule.reserve_most
        ) END
    )