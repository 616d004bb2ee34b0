WITH input AS MATERIALIZED (
    SELECT $1::jsonb AS j
), clock AS MATERIALIZED (
    SELECT coalesce((j->>'now')::timestamptz, clock_timestamp()) AS now FROM input
)
SELECT json_build_object(
    'now', clock.now,
    'is_on', EXISTS (SELECT FROM tenure_switches WHERE name = 'hints') AND EXISTS (
        SELECT FROM pg_trigger WHERE tgrelid = 'tenure_jobs'::regclass AND tgname = 'tenure_hint_updates'
    ),
    'due', (SELECT count(*) FROM (
        SELECT FROM tenure_hints WHERE due_at <= clock.now LIMIT (SELECT (j->>'most')::integer FROM input)
    ) AS due),
    'oldest_due_at', (SELECT due_at FROM tenure_hints WHERE due_at <= clock.now ORDER BY due_at LIMIT 1),
    'refused', (SELECT count(*) FROM (
        SELECT FROM tenure_hints WHERE error IS NOT NULL LIMIT (SELECT (j->>'most')::integer FROM input)
    ) AS refused),
    'error', (
        SELECT error FROM tenure_hints WHERE error IS NOT NULL ORDER BY refusals DESC, job_id DESC LIMIT 1
    )
)::text
FROM clock
