INSERT INTO tenure_jobs (
    id, tenant, queue, kind, version, priority, state, args_digest, idempotency_key, tags, trace,
    created_at, run_at, deadline, updated_at, max_attempts, run_time_limit, policy, payload,
    order_key, on_failure, order_place
) VALUES (
    ?1, ?2, ?3, ?4, ?5, ?6, 'blocked', ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21,
    1 + coalesce((
        SELECT max(order_place) FROM tenure_jobs WHERE tenant = ?2 AND order_key = ?20 AND order_place IS NOT NULL
    ), 0)
)
ON CONFLICT DO NOTHING
RETURNING id, seq, created_at
