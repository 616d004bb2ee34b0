coalesce((
        SELECT json_object_agg(kind, json_build_object('slots', coalesce(slots, 1), 'uses', coalesce(uses, '{}')))
        FROM tenure_flow WHERE slots IS NOT NULL OR uses IS NOT NULL
    ), '{}'::json)
