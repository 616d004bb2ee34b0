SELECT coalesce(max(order_place), 0) FROM tenure_jobs
WHERE tenant = ? AND order_key = ? AND order_place IS NOT NULL
