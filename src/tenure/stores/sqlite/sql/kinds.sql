SELECT name, versions, schema, queue, max_attempts, run_time_limit, policy, concurrency, priority
FROM tenure_kinds ORDER BY name
