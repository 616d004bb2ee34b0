SELECT coalesce(json_agg(pause ORDER BY pause.subject COLLATE "C", pause.name), '[]'::json)::text
FROM (SELECT $1::jsonb AS j) AS input CROSS JOIN (
    SELECT
        CASE WHEN queue <> '' THEN 'queue' WHEN kind <> '' THEN 'kind' WHEN tenant <> '' THEN 'tenant'
            ELSE 'resource' END AS subject,
        queue || kind || tenant || resource AS name, paused_at AS at, paused_by AS who, paused_why AS why
    FROM tenure_flow WHERE paused_at IS NOT NULL
) AS pause
WHERE coalesce(pause.subject = j->>'subject', true) AND coalesce(nullif(j->'names', 'null') ? pause.name, true)
