-- What insert.sql does for many, without what only many need, and with the row as texts of its own, which cost less to
-- read than JSON: for one row the server has a third less to do. It answers with no row where the id or the key is known.
INSERT INTO tenure_jobs (
    id, seq, kind, payload, args_digest, version, tenant, queue, priority, state, idempotency_key,
    run_at, deadline, created_at, updated_at, max_attempts, run_time_limit, policy, tags, trace
)
SELECT
    $2::text::uuid, nextval('tenure_job_seq'), $3::text, $4::text, $5::text,
    $6::text::integer, $7::text, $8::text, $9::text::smallint,
    CASE WHEN due > now THEN 'scheduled' ELSE 'ready' END::tenure_state, $10::text,
    due, $11::text::timestamptz, now, now, $12::text::integer,
    $13::text::double precision, $14::text::json, $15::text::json, $16::text
FROM (
    SELECT
        now, coalesce($17::text::timestamptz, now + make_interval(secs => $18::text::double precision), now) AS due
    FROM (
        SELECT
            coalesce((j->>'now')::timestamptz, clock_timestamp()) AS now,
            CASE WHEN j ? 'wait' THEN set_config('lock_timeout', j->>'wait', true) END,
            CASE WHEN j ? 'hint' THEN pg_notify('tenure', j->>'hint')::text END
        FROM (SELECT $1::jsonb AS j OFFSET 0) AS input
        OFFSET 0 -- Reads the clock once.
    ) AS given
) AS new
ON CONFLICT DO NOTHING
RETURNING json_build_object('now', created_at, 'created', json_build_object(id, seq))::text
