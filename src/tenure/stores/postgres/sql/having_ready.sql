SELECT coalesce(json_agg(watched.name), '[]'::json)::text
FROM jsonb_array_elements_text($1::jsonb->'queues') AS watched (name)
WHERE EXISTS (
    SELECT FROM tenure_jobs AS job WHERE job.state = 'ready' AND job.queue = watched.name
) AND NOT EXISTS (
    SELECT FROM tenure_flow AS rule
    WHERE rule.queue = watched.name AND rule.kind = '' AND rule.tenant = '' AND rule.paused_at IS NOT NULL
)
