-- What a claim asks for, and the highest priority that has something ready.
request AS MATERIALIZED (
    SELECT
        asked->>'queue' AS queue, (asked->>'free')::integer AS free, (asked->>'most')::integer AS most,
        asked->'after' AS after, asked->'owed' AS owed, asked->'runs' AS runs, asked->'busy' AS busy,
        asked->'tokens' AS tokens, (asked->>'most_slots')::integer AS most_slots,
        nullif(asked->'tenants', 'null') AS tenants,
        asked->>'claim_id' AS claim_id, asked->>'worker' AS worker, asked->>'holder' AS holder,
        (asked->>'lease_seconds')::double precision AS lease_seconds,
        make_interval(secs => (asked->>'lease_seconds')::double precision) AS lease,
        make_interval(secs => (asked->>'grace')::double precision) AS grace,
        coalesce((asked->>'since')::timestamptz, '-infinity') AS since
    FROM (SELECT j->'claim' AS asked FROM input) AS given
), -- Only this step walks over the index entries of jobs that are gone: every later one starts at the first job that
-- an earlier one has found.
level AS MATERIALIZED (
    SELECT
        head.*,
        (request.after->>head.priority::text)
            || CASE WHEN request.owed ? head.priority::text THEN '' ELSE chr(1) END COLLATE "C" AS start
    FROM request CROSS JOIN LATERAL (
        SELECT job.priority, job.tenant, job.kind, job.version, job.run_at, job.seq FROM tenure_jobs AS job
        WHERE job.state = 'ready' AND job.queue = request.queue AND job.priority <= request.most
            AND job.run_at >= request.since
        ORDER BY job.priority DESC, job.tenant, job.kind, job.version, job.run_at, job.seq LIMIT 1
    ) AS head
)
