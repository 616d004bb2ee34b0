WITH input AS MATERIALIZED (
    SELECT $1::jsonb AS j
), moment AS MATERIALIZED (
    SELECT coalesce((j->>'now')::timestamptz, clock_timestamp()) AS now FROM input
), due AS MATERIALIZED (
    SELECT tenant, name, next_at FROM tenure_schedules WHERE next_at <= (SELECT now FROM moment)
    ORDER BY next_at, tenant, name LIMIT (SELECT (j->>'limit')::integer FROM input)
), waiting AS MATERIALIZED (
    SELECT tenant, name, next_at FROM tenure_schedules WHERE waiting_at IS NOT NULL AND paused_at IS NULL
    ORDER BY tenant, name LIMIT (SELECT (j->>'limit')::integer FROM input)
), named AS (
    SELECT DISTINCT ON (place.tenant, place.name) place.tenant, place.name, place.next_at, place.is_due
    FROM (
        SELECT due.*, true AS is_due FROM due UNION ALL SELECT waiting.*, false FROM waiting
    ) AS place
    ORDER BY place.tenant, place.name, place.is_due DESC
)
SELECT json_build_object(
    'now', moment.now,
    'names', (
        SELECT coalesce(
            json_agg(json_build_array(tenant, name) ORDER BY NOT is_due, CASE WHEN is_due THEN next_at END, tenant, name),
            '[]'::json
        ) FROM named
    ),
    'next_at', (SELECT min(next_at) FROM tenure_schedules WHERE next_at > moment.now)
)::text
FROM moment
