-- Oldest first, of the jobs that have failed and are still there whole.
WITH input AS MATERIALIZED (
    SELECT $1::jsonb AS j
), {asked}, letter AS (
    SELECT {letter_columns} FROM tenure_jobs AS job
    WHERE job.pruned_at IS NULL
        AND (job.ended_at, job.id) > (
            (SELECT coalesce((j->>'at')::timestamptz, '-infinity') FROM input),
            (SELECT coalesce((j->>'last')::uuid, '00000000-0000-0000-0000-000000000000') FROM input)
        )
        AND {conditions}
    ORDER BY job.ended_at, job.id LIMIT (SELECT (j->>'limit')::integer FROM input)
)
SELECT coalesce(json_agg(letter ORDER BY letter.ended_at, letter.id), '[]'::json)::text FROM letter
