SELECT coalesce(json_agg(watched.name), '[]'::json)::text
FROM jsonb_array_elements_text($1::jsonb->'queues') AS watched (name)
WHERE EXISTS (
    SELECT FROM tenure_jobs AS job WHERE job.state = 'ready' AND job.queue = watched.name
)
