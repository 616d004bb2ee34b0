-- What cannot be cleaned away yet, and since when. Whoever may not see others' sessions sees no time of theirs.
SELECT json_build_object(
    'dead_rows', pg_stat_get_dead_tuples('tenure_jobs'::regclass),
    'oldest_snapshot', greatest(
        (
            SELECT max(extract(epoch FROM asked.now - xact_start)) FROM pg_stat_activity
            WHERE datname = current_database() AND backend_xmin IS NOT NULL AND pid <> pg_backend_pid()
        ),
        (SELECT max(extract(epoch FROM asked.now - prepared)) FROM pg_prepared_xacts
            WHERE database = current_database()),
        0
    )::double precision
)::text
FROM (SELECT coalesce(($1::jsonb->>'now')::timestamptz, clock_timestamp()) AS now) AS asked
