SELECT job.id FROM clock, input
CROSS JOIN LATERAL jsonb_each_text(input.j->'periods') AS period (state, seconds)
CROSS JOIN LATERAL (
    SELECT one.id, one.ended_at FROM tenure_jobs AS one
    WHERE one.state = period.state::tenure_state AND one.state IN ('succeeded', 'failed', 'cancelled')
        AND one.payload_expired_at IS NULL
        -- A job that stops its order key keeps its row; only the pruner has `keys`.
        AND (one.order_place IS NULL OR input.j->'keys' IS NULL)
        AND one.ended_at <= clock.now - make_interval(secs => period.seconds::double precision)
    ORDER BY one.ended_at LIMIT (input.j->>'limit')::integer
    FOR UPDATE SKIP LOCKED
) AS job
ORDER BY job.ended_at LIMIT (SELECT (j->>'limit')::integer FROM input)
