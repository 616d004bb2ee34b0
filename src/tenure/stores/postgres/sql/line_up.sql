-- Of each key whoever stands first: one that is blocked becomes the head; any other is held, so that its end sees every
-- job that this statement sees. What somebody else holds is not waited for: the key stays on record for later.
WITH input AS MATERIALIZED (
    SELECT $1::jsonb AS j
), clock AS MATERIALIZED (
    SELECT coalesce((j->>'now')::timestamptz, clock_timestamp()) AS now FROM input
), asked AS MATERIALIZED (
    SELECT key->>0 AS tenant, key->>1 AS order_key FROM input, jsonb_array_elements(input.j->'keys') AS key
), first AS MATERIALIZED (
    SELECT asked.tenant, asked.order_key, job.id, job.state, job.order_place
    FROM asked LEFT JOIN LATERAL (
        SELECT one.id, one.state, one.order_place FROM tenure_jobs AS one
        WHERE one.tenant = asked.tenant AND one.order_key = asked.order_key AND one.order_place IS NOT NULL
        ORDER BY one.order_place LIMIT 1
    ) AS job ON true
), held AS MATERIALIZED (
    SELECT job.id FROM first JOIN tenure_jobs AS job ON job.id = first.id
    WHERE job.state = first.state AND job.order_place = first.order_place
    FOR NO KEY UPDATE OF job SKIP LOCKED
), made AS (
    UPDATE tenure_jobs AS job
    SET state = CASE WHEN job.run_at <= clock.now THEN 'ready' ELSE 'scheduled' END::tenure_state, order_place = 0,
        revision = job.revision + 1, updated_at = clock.now
    FROM clock
    WHERE job.id = ANY (ARRAY(SELECT held.id FROM held JOIN first USING (id) WHERE first.state = 'blocked'))
    RETURNING job.tenant, job.order_key, job.queue, job.state
), -- A snapshot that is older than this statement has not seen whoever came since.
seen AS MATERIALIZED (
    SELECT
        tenant, order_key,
        (id IS NULL OR id = ANY (ARRAY(SELECT held.id FROM held)))
            AND current_setting('transaction_isolation') IN ('read committed', 'read uncommitted') AS is_seen
    FROM first
), forgotten AS (
    DELETE FROM tenure_order_news AS news USING seen
    WHERE seen.is_seen AND news.tenant = seen.tenant AND news.order_key = seen.order_key
), noted AS (
    INSERT INTO tenure_order_news (tenant, order_key)
    SELECT tenant, order_key FROM seen
    WHERE NOT is_seen AND NOT EXISTS (
        SELECT FROM tenure_order_news AS news WHERE news.tenant = seen.tenant AND news.order_key = seen.order_key
    )
)
SELECT coalesce(json_agg(made ORDER BY tenant, order_key), '[]'::json)::text FROM made
