WITH input AS MATERIALIZED (
    SELECT ARRAY(SELECT jsonb_array_elements_text($1::jsonb->'ids')::uuid) AS ids
), gone AS (
    DELETE FROM tenure_hints AS hint USING input
    WHERE hint.job_id = ANY (ids)
        AND NOT EXISTS (SELECT FROM tenure_jobs AS job WHERE job.id = hint.job_id AND job.state = 'ready')
    RETURNING hint.job_id
)
SELECT coalesce(json_agg(job_id), '[]'::json)::text FROM gone
