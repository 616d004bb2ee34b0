-- New rows where id and key are free, in the order given. `seq` follows the `place` of a job where it says one, else
-- this order.
WITH {insert_drawn}, new AS (
    SELECT
        own.id, own.payload, own.args_digest,
        coalesce(own.kind, shared.kind) AS kind,
        coalesce(own.version, shared.version) AS version,
        coalesce(own.tenant, shared.tenant) AS tenant,
        coalesce(own.queue, shared.queue) AS queue,
        coalesce(own.priority, shared.priority) AS priority,
        coalesce(own.idempotency_key, shared.idempotency_key) AS idempotency_key,
        coalesce(own.deadline, shared.deadline) AS deadline,
        coalesce(own.max_attempts, shared.max_attempts) AS max_attempts,
        coalesce(own.run_time_limit, shared.run_time_limit) AS run_time_limit,
        coalesce(own.policy, shared.policy) AS policy,
        coalesce(own.tags, shared.tags) AS tags,
        coalesce(own.trace, shared.trace) AS trace,
        drawn.firsts[(coalesce(own.said_place, own.place) + 999) / 1000]
            + (coalesce(own.said_place, own.place) - 1) % 1000 AS seq,
        coalesce(
            own.run_at, shared.run_at, clock.now + make_interval(secs => coalesce(own.delay, shared.delay)), clock.now
        ) AS due,
        clock.now
    FROM input, clock, drawn, ROWS FROM (jsonb_to_recordset(input.j->'jobs') AS (
        id uuid, kind text, payload text, args_digest text, version integer, tenant text, queue text,
        priority smallint, idempotency_key text, run_at timestamptz, delay double precision, deadline timestamptz,
        max_attempts integer, run_time_limit double precision, policy json, tags json, trace text, place bigint
    )) WITH ORDINALITY AS own (
        id, kind, payload, args_digest, version, tenant, queue, priority, idempotency_key, run_at, delay, deadline,
        max_attempts, run_time_limit, policy, tags, trace, said_place, place
    ), jsonb_to_record(coalesce(input.j->'shared', '{}')) AS shared (
        kind text, version integer, tenant text, queue text,
        priority smallint, idempotency_key text, run_at timestamptz, delay double precision, deadline timestamptz,
        max_attempts integer, run_time_limit double precision, policy json, tags json, trace text
    )
), inserted AS (
    INSERT INTO tenure_jobs (
        id, seq, kind, payload, args_digest, version, tenant, queue, priority, state, idempotency_key,
        run_at, deadline, created_at, updated_at, max_attempts, run_time_limit, policy, tags, trace
    )
    SELECT
        id, seq, kind, payload, args_digest, version, tenant, queue, priority,
        CASE WHEN due > now THEN 'scheduled' ELSE 'ready' END::tenure_state, idempotency_key,
        due, deadline, now, now, max_attempts, run_time_limit, policy, tags, trace
    FROM new
    ON CONFLICT DO NOTHING
    RETURNING id, seq
)
{insert_told}
