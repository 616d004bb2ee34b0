SELECT subject, name, paused_at, paused_by, paused_why
FROM (
    SELECT
        CASE WHEN queue <> '' THEN 'queue' WHEN kind <> '' THEN 'kind' WHEN tenant <> '' THEN 'tenant' ELSE 'resource' END AS subject,
        queue || kind || tenant || resource AS name, paused_at, paused_by, paused_why
    FROM tenure_flow WHERE paused_at IS NOT NULL
)
WHERE (?1 IS NULL OR subject = ?1) AND (?2 IS NULL OR name IN (SELECT value FROM json_each(?2)))
ORDER BY subject, name
