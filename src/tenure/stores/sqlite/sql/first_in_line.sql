SELECT {job_columns} FROM tenure_jobs WHERE id IN (
    SELECT (
        SELECT id FROM tenure_jobs INDEXED BY tenure_jobs_line
        WHERE tenant = json_extract(key.value, '$[0]') AND order_key = json_extract(key.value, '$[1]')
          AND order_place IS NOT NULL
        ORDER BY order_place LIMIT 1
    ) FROM json_each(?) AS key
)
