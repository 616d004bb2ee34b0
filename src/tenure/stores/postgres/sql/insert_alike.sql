-- What insert.sql does, for jobs that differ in their ids and payloads alone: what they share is read once, and what they
-- do not comes column by column: the ids as `jobs`.
WITH {insert_drawn}, shared AS MATERIALIZED (
    SELECT
        said.*, clock.now,
        coalesce(said.run_at, clock.now + make_interval(secs => said.delay), clock.now) AS due
    FROM input, clock, jsonb_to_record(input.j->'shared') AS said (
        kind text, version integer, tenant text, queue text, priority smallint, run_at timestamptz,
        delay double precision, deadline timestamptz, max_attempts integer, run_time_limit double precision,
        policy json, tags json, trace text
    )
), inserted AS (
    INSERT INTO tenure_jobs (
        id, seq, kind, payload, args_digest, version, tenant, queue, priority, state,
        run_at, deadline, created_at, updated_at, max_attempts, run_time_limit, policy, tags, trace
    )
    SELECT
        own.id::uuid, drawn.firsts[(own.place + 999) / 1000] + (own.place - 1) % 1000, kind, own.payload,
        own.args_digest, version, tenant, queue, priority,
        CASE WHEN due > now THEN 'scheduled' ELSE 'ready' END::tenure_state,
        due, deadline, now, now, max_attempts, run_time_limit, policy, tags, trace
    FROM input, drawn, shared, ROWS FROM (
        jsonb_array_elements_text(input.j->'jobs'),
        jsonb_array_elements_text(input.j->'payload'),
        jsonb_array_elements_text(input.j->'args_digest')
    ) WITH ORDINALITY AS own (id, payload, args_digest, place)
    ON CONFLICT DO NOTHING
    RETURNING id, seq
)
{insert_told}
