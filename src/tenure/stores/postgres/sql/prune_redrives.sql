-- The rows of redrives that ended long ago, and each redrive with its last row.
WITH input AS MATERIALIZED (
    SELECT $1::jsonb AS j
), past AS MATERIALIZED (
    SELECT redrive.id FROM tenure_redrives AS redrive, input
    WHERE redrive.ended_at <= coalesce((input.j->>'now')::timestamptz, clock_timestamp())
        - make_interval(secs => (input.j->>'seconds')::double precision)
), old AS MATERIALIZED (
    SELECT row.redrive_id, row.place FROM tenure_redrive_jobs AS row
    WHERE row.redrive_id IN (SELECT id FROM past)
    ORDER BY row.redrive_id, row.place LIMIT (SELECT (j->>'limit')::integer FROM input)
    FOR UPDATE SKIP LOCKED
), gone AS (
    DELETE FROM tenure_redrive_jobs AS row USING old
    WHERE row.redrive_id = old.redrive_id AND row.place = old.place
    RETURNING row.redrive_id
), emptied AS (
    DELETE FROM tenure_redrives AS redrive
    WHERE redrive.id IN (SELECT id FROM past)
        AND (SELECT count(*) FROM tenure_redrive_jobs AS row WHERE row.redrive_id = redrive.id)
            = (SELECT count(*) FROM old WHERE old.redrive_id = redrive.id)
)
SELECT json_build_object('count', count(*))::text FROM gone
