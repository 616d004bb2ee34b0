SELECT json_build_object(
    'now', clock.now,
    'firsts', drawn.firsts,
    -- Where all are new, their numbers are told by `firsts`.
    'created', CASE WHEN (SELECT count(*) FROM inserted) < jsonb_array_length(input.j->'jobs') THEN
        coalesce((SELECT json_object_agg(id, seq) FROM inserted), '{}'::json)
    END
)::text
FROM clock, drawn, input
