        ) AS head
    ), '[]'::json)
)::text
FROM clock
