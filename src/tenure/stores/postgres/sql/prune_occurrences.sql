WITH input AS MATERIALIZED (
    SELECT $1::jsonb AS j
), old AS MATERIALIZED (
    SELECT row.id FROM tenure_occurrences AS row
    WHERE row.decided_at <= (
        SELECT coalesce((j->>'now')::timestamptz, clock_timestamp())
            - make_interval(secs => (j->>'seconds')::double precision)
        FROM input
    )
    ORDER BY row.decided_at, row.id LIMIT (SELECT (j->>'limit')::integer FROM input)
    FOR UPDATE SKIP LOCKED
), gone AS (
    DELETE FROM tenure_occurrences AS row USING old WHERE row.id = old.id RETURNING row.id
)
SELECT json_build_object('count', count(*))::text FROM gone
