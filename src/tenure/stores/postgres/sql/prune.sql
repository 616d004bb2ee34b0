-- Ended rows past their period: gone, or a tombstone while their key must go on answering. Slowdowns that are over
-- go too.
WITH input AS MATERIALIZED (
    SELECT $1::jsonb AS j
), clock AS MATERIALIZED (
    SELECT coalesce((j->>'now')::timestamptz, clock_timestamp()) AS now FROM input
), whole AS MATERIALIZED (
    {whole_past}
), spent AS MATERIALIZED (
    SELECT job.id FROM clock, input
    CROSS JOIN LATERAL jsonb_each_text(input.j->'periods') AS period (state, seconds)
    CROSS JOIN LATERAL (
        SELECT one.id, one.ended_at FROM tenure_jobs AS one
        WHERE one.state = period.state::tenure_state AND one.payload_expired_at IS NOT NULL AND one.pruned_at IS NULL
            AND one.order_place IS NULL
            AND one.ended_at <= clock.now - make_interval(secs => period.seconds::double precision)
        ORDER BY one.ended_at LIMIT (input.j->>'limit')::integer
        FOR UPDATE SKIP LOCKED
    ) AS job
    ORDER BY job.ended_at LIMIT (SELECT (j->>'limit')::integer FROM input) - (SELECT count(*) FROM whole)
), old AS MATERIALIZED (
    SELECT id FROM whole UNION ALL SELECT id FROM spent
), stones AS MATERIALIZED (
    SELECT job.id FROM clock, input CROSS JOIN LATERAL (
        SELECT one.id FROM tenure_jobs AS one
        WHERE one.pruned_at IS NOT NULL
            AND one.ended_at <= clock.now - make_interval(secs => (input.j->>'keys')::double precision)
            AND one.ended_at <= clock.now
                - make_interval(secs => (input.j->'periods'->>one.state::text)::double precision)
        ORDER BY one.ended_at
        LIMIT (input.j->>'limit')::integer - (SELECT count(*) FROM old)
        FOR UPDATE SKIP LOCKED
    ) AS job
), buried AS (
    UPDATE tenure_jobs AS job
    SET payload = NULL, result = NULL, error = NULL, tags = '[]', pruned_at = clock.now,
        payload_expired_at = coalesce(job.payload_expired_at, clock.now), updated_at = clock.now,
        revision = job.revision + 1
    FROM clock, input
    WHERE job.id = ANY (ARRAY(SELECT id FROM old)) AND job.idempotency_key IS NOT NULL
        AND job.ended_at > clock.now - make_interval(secs => (input.j->>'keys')::double precision)
    RETURNING job.id
), deleted AS (
    DELETE FROM tenure_jobs AS job
    USING clock, input
    WHERE job.id = ANY (ARRAY(SELECT id FROM old UNION ALL SELECT id FROM stones)) AND (
        job.idempotency_key IS NULL
        OR job.ended_at <= clock.now - make_interval(secs => (input.j->>'keys')::double precision)
    )
    RETURNING job.id
), forgotten AS (
    DELETE FROM tenure_attempts AS attempt
    WHERE attempt.job_id = ANY (ARRAY(SELECT id FROM old UNION ALL SELECT id FROM stones))
), dropped AS (
    DELETE FROM tenure_checkpoints AS checkpoint
    WHERE checkpoint.job_id = ANY (ARRAY(SELECT id FROM old UNION ALL SELECT id FROM stones))
), unledgered AS (
    DELETE FROM tenure_effects AS effect WHERE effect.job_id = ANY (ARRAY(SELECT id FROM deleted))
), over AS (
    DELETE FROM tenure_slowdowns AS slow USING (
        SELECT past.tenant, past.kind FROM tenure_slowdowns AS past, clock WHERE past.until <= clock.now
        LIMIT (SELECT (j->>'limit')::integer FROM input)
        FOR UPDATE OF past SKIP LOCKED
    ) AS past
    WHERE slow.tenant = past.tenant AND slow.kind = past.kind
)
SELECT json_build_object('count', (SELECT count(*) FROM buried) + (SELECT count(*) FROM deleted))::text
