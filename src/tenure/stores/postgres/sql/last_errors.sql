SELECT coalesce(
    json_object_agg(job.id, json_build_object('code', job.last_error_code, 'message', job.error)), '{}'::json
)::text
FROM tenure_jobs AS job
WHERE job.id = ANY (ARRAY(SELECT jsonb_array_elements_text($1::jsonb->'ids')::uuid))
