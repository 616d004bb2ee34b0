-- Never waits: a row that somebody holds is one whose job becomes ready again, or that another publisher takes.
WITH input AS MATERIALIZED (
    SELECT j, ARRAY(SELECT jsonb_array_elements_text(j->'ids')::uuid) AS ids FROM (SELECT $1::jsonb AS j) AS given
), clock AS MATERIALIZED (
    SELECT coalesce((j->>'now')::timestamptz, clock_timestamp()) AS now FROM input
), mine AS MATERIALIZED (
    SELECT hint.job_id FROM tenure_hints AS hint, input
    WHERE hint.job_id = ANY (input.ids) AND hint.token = input.j->>'token'
    FOR UPDATE OF hint SKIP LOCKED
), settled AS (
    DELETE FROM tenure_hints AS hint USING input
    WHERE j->>'again' IS NULL AND hint.job_id = ANY (ARRAY(SELECT job_id FROM mine))
    RETURNING 1
), put_back AS (
    UPDATE tenure_hints AS hint
    SET due_at = clock.now + make_interval(secs => (j->>'again')::double precision), token = NULL, error = j->>'error',
        refusals = CASE WHEN j->>'error' IS NULL THEN 0 ELSE refusals + 1 END
    FROM input, clock
    WHERE j->>'again' IS NOT NULL AND hint.job_id = ANY (ARRAY(SELECT job_id FROM mine))
    RETURNING 1
)
SELECT json_build_object('count', (SELECT count(*) FROM settled) + (SELECT count(*) FROM put_back))::text
