UPDATE tenure_jobs SET
    state = CASE WHEN run_at <= ?1 THEN 'ready' ELSE 'scheduled' END,
    order_place = 0,
    revision = revision + 1,
    updated_at = ?1
WHERE state = 'blocked' AND id IN (
    SELECT (
        SELECT id FROM tenure_jobs INDEXED BY tenure_jobs_line
        WHERE tenant = json_extract(key.value, '$[0]') AND order_key = json_extract(key.value, '$[1]')
          AND order_place IS NOT NULL
        ORDER BY order_place LIMIT 1
    ) FROM json_each(?2) AS key
)
RETURNING tenant, order_key, queue, state
