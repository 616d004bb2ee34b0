-- How many connections this user may have to this database, by whichever bound comes first, and how many of them are left.
SELECT json_build_object(
    'limit', least(server.bound, role.bound, base.bound),
    'left', least(
        server.bound - count(*),
        role.bound - count(*) FILTER (WHERE usename = current_user),
        base.bound - count(*) FILTER (WHERE datname = current_database())
    )
)::text
FROM (
    SELECT current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
        - coalesce(current_setting('reserved_connections', true)::int, 0) AS bound
    WHERE $1::jsonb IS NOT NULL
) AS server,
(SELECT nullif(rolconnlimit, -1) AS bound FROM pg_roles WHERE rolname = current_user) AS role,
(SELECT nullif(datconnlimit, -1) AS bound FROM pg_database WHERE datname = current_database()) AS base,
pg_stat_activity
WHERE usesysid IS NOT NULL
GROUP BY server.bound, role.bound, base.bound
