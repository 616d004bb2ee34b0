-- What insert.sql does, for jobs of which some have an order key. These are blocked, at the place of their number, until
-- their line is looked at; that it must be is on record in the same statement, whatever becomes of its sender.
WITH input AS MATERIALIZED (
    SELECT j, CASE WHEN j ? 'wait' THEN set_config('lock_timeout', j->>'wait', true) END
    FROM (SELECT $1::jsonb AS j) AS given
), clock AS MATERIALIZED (
    SELECT coalesce((j->>'now')::timestamptz, clock_timestamp()) AS now FROM input
), given AS (
    SELECT
        job.*, clock.now,
        coalesce(job.run_at, clock.now + make_interval(secs => job.delay), clock.now) AS due
    FROM input, clock, ROWS FROM (jsonb_to_recordset(input.j->'jobs') AS (
        id uuid, kind text, payload text, args_digest text, version integer, tenant text, queue text,
        priority smallint, idempotency_key text, run_at timestamptz, delay double precision, deadline timestamptz,
        max_attempts integer, run_time_limit double precision, policy json, tags json, trace text, order_key text,
        on_failure text
    )) WITH ORDINALITY AS job (
        id, kind, payload, args_digest, version, tenant, queue, priority, idempotency_key, run_at, delay, deadline,
        max_attempts, run_time_limit, policy, tags, trace, order_key, on_failure, nth
    )
    ORDER BY nth
), new AS MATERIALIZED (
    SELECT given.*, nextval('tenure_job_seq') AS seq FROM given
), inserted AS (
    INSERT INTO tenure_jobs (
        id, seq, kind, payload, args_digest, version, tenant, queue, priority, state, idempotency_key,
        run_at, deadline, created_at, updated_at, max_attempts, run_time_limit, policy, tags, trace,
        order_key, order_place, on_failure
    )
    SELECT
        id, seq, kind, payload, args_digest, version, tenant, queue, priority,
        CASE WHEN order_key IS NOT NULL THEN 'blocked' WHEN due > now THEN 'scheduled' ELSE 'ready' END::tenure_state,
        idempotency_key, due, deadline, now, now, max_attempts, run_time_limit, policy, tags, trace,
        order_key, CASE WHEN order_key IS NOT NULL THEN seq END,
        CASE WHEN order_key IS NOT NULL THEN coalesce(on_failure, policy->>'on_failure', 'stop') END
    FROM new
    ORDER BY tenant, kind, idempotency_key, nth
    ON CONFLICT DO NOTHING
    RETURNING id, seq, tenant, order_key
), news AS (
    INSERT INTO tenure_order_news (tenant, order_key)
    SELECT DISTINCT tenant, order_key FROM inserted WHERE order_key IS NOT NULL
)
SELECT json_build_object(
    'now', clock.now, 'created', coalesce((SELECT json_object_agg(id, seq) FROM inserted), '{}'::json)
)::text
FROM clock
