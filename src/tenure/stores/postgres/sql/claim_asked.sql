-- What a claim asks for.
request AS MATERIALIZED (
    SELECT
        asked->>'queue' AS queue, (asked->>'free')::integer AS free, (asked->>'most')::integer AS most,
        asked->'after' AS after, asked->'owed' AS owed, asked->'runs' AS runs, asked->'busy' AS busy,
        asked->'tokens' AS tokens, (asked->>'most_slots')::integer AS most_slots,
        nullif(asked->'tenants', 'null') AS tenants,
        asked->>'claim_id' AS claim_id, asked->>'worker' AS worker, asked->>'holder' AS holder,
        (asked->>'lease_seconds')::double precision AS lease_seconds,
        make_interval(secs => (asked->>'lease_seconds')::double precision) AS lease,
        make_interval(secs => (asked->>'grace')::double precision) AS grace
    FROM (SELECT j->'claim' AS asked FROM input) AS given
)
