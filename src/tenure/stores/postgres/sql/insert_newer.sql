-- New rows with a supersession key, where id, idempotency key and supersession key are free, in the order given; `seq`
-- follows the `place` of each. Those that give way to a later one of the batch have ended already.
WITH input AS MATERIALIZED (
    SELECT $1::jsonb AS j
), clock AS MATERIALIZED (
    SELECT coalesce((j->>'now')::timestamptz, clock_timestamp()) AS now FROM input
), drawn AS MATERIALIZED (
    SELECT ARRAY(
        SELECT nextval('tenure_job_seq') FROM generate_series(1, (jsonb_array_length(input.j->'jobs') + 999) / 1000)
    ) AS firsts
    FROM input
), inserted AS (
    INSERT INTO tenure_jobs (
        id, seq, kind, payload, args_digest, version, tenant, queue, priority, state, idempotency_key,
        run_at, deadline, created_at, updated_at, ended_at, end_code, max_attempts, run_time_limit, policy, tags, trace,
        supersession_key, supersedes, superseded_by, burst_at
    )
    SELECT
        new.id, drawn.firsts[(new.place + 999) / 1000] + (new.place - 1) % 1000, new.kind, new.payload, new.args_digest,
        new.version, new.tenant, new.queue, new.priority,
        CASE
            WHEN new.superseded_by IS NOT NULL THEN 'cancelled' WHEN new.run_at > clock.now THEN 'scheduled' ELSE 'ready'
        END::tenure_state,
        new.idempotency_key, new.run_at, new.deadline, clock.now, clock.now,
        CASE WHEN new.superseded_by IS NOT NULL THEN clock.now END,
        CASE WHEN new.superseded_by IS NOT NULL THEN 'superseded' END,
        new.max_attempts, new.run_time_limit, new.policy, new.tags, new.trace,
        new.supersession_key, new.supersedes, new.superseded_by, new.burst_at
    FROM input, clock, drawn, ROWS FROM (jsonb_to_recordset(input.j->'jobs') AS (
        id uuid, kind text, payload text, args_digest text, version integer, tenant text, queue text,
        priority smallint, idempotency_key text, run_at timestamptz, deadline timestamptz, max_attempts integer,
        run_time_limit double precision, policy json, tags json, trace text, supersession_key text, supersedes text,
        superseded_by text, burst_at timestamptz, place bigint
    )) WITH ORDINALITY AS new (
        id, kind, payload, args_digest, version, tenant, queue, priority, idempotency_key, run_at, deadline,
        max_attempts, run_time_limit, policy, tags, trace, supersession_key, supersedes, superseded_by, burst_at, place, nth
    )
    ON CONFLICT DO NOTHING
    RETURNING id, seq
)
SELECT json_build_object(
    'now', clock.now, 'created', coalesce((SELECT json_object_agg(id, seq) FROM inserted), '{}'::json)
)::text
FROM clock
