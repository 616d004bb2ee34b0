WITH input AS MATERIALIZED (
    SELECT $1::jsonb AS j
), ended AS (
    SELECT row_to_json(row) AS row, row.place, job.state, job.end_code AS code, job.ended_at
    FROM tenure_redrive_jobs AS row LEFT JOIN tenure_jobs AS job ON job.id = row.job_id
    WHERE row.redrive_id = (SELECT (j->>'id')::uuid FROM input) AND row.state = 'redriven'
        AND (job.id IS NULL OR job.state IN ('succeeded', 'failed', 'cancelled'))
    ORDER BY row.place LIMIT (SELECT (j->>'limit')::integer FROM input)
)
SELECT coalesce(json_agg(json_build_object(
    'row', ended.row, 'state', ended.state, 'code', ended.code, 'ended_at', ended.ended_at
) ORDER BY ended.place), '[]'::json)::text FROM ended
