SELECT {limit_columns} FROM tenure_flow
WHERE (concurrency IS NOT NULL OR starts IS NOT NULL)
  AND (
    ?1 IS NULL OR (queue, kind, tenant, resource) IN (
        SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]'), json_extract(value, '$[2]'),
            json_extract(value, '$[3]')
        FROM json_each(?1)
    )
  )
ORDER BY queue, kind, tenant, resource
