-- In the place of claim_level.sql for a claim that is told a place in a lane: it does not see the jobs of that lane up to there,
-- and so does not walk over the index entries of those that are gone.
past AS MATERIALIZED (
    SELECT
        (place->>0)::smallint AS priority, (place->>1) COLLATE "C" AS tenant, (place->>2) COLLATE "C" AS kind,
        (place->>3)::integer AS version, (place->>4)::timestamptz AS run_at, (place->>5)::bigint AS seq
    FROM (SELECT j->'claim'->'past' AS place FROM input) AS given
), level AS MATERIALIZED (
    SELECT head.* FROM request CROSS JOIN past CROSS JOIN LATERAL (
        (
            SELECT job.priority, job.tenant, job.kind, job.version, job.run_at, job.seq FROM tenure_jobs AS job
            WHERE job.state = 'ready' AND job.queue = request.queue
                AND job.priority > past.priority AND job.priority <= request.most
            ORDER BY job.priority DESC, job.tenant, job.kind, job.version, job.run_at, job.seq LIMIT 1
        )
        UNION ALL
        (
            SELECT job.priority, job.tenant, job.kind, job.version, job.run_at, job.seq FROM tenure_jobs AS job
            WHERE job.state = 'ready' AND job.queue = request.queue
                AND job.priority = past.priority
                AND (job.tenant, job.kind, job.version) < (past.tenant, past.kind, past.version)
            ORDER BY job.tenant, job.kind, job.version, job.run_at, job.seq LIMIT 1
        )
        UNION ALL
        (
            SELECT job.priority, job.tenant, job.kind, job.version, job.run_at, job.seq FROM tenure_jobs AS job
            WHERE job.state = 'ready' AND job.queue = request.queue
                AND job.priority = past.priority
                AND (job.tenant, job.kind, job.version, job.run_at, job.seq)
                    > (past.tenant, past.kind, past.version, past.run_at, past.seq)
            ORDER BY job.tenant, job.kind, job.version, job.run_at, job.seq LIMIT 1
        )
        UNION ALL
        (
            SELECT job.priority, job.tenant, job.kind, job.version, job.run_at, job.seq FROM tenure_jobs AS job
            WHERE job.state = 'ready' AND job.queue = request.queue
                AND job.priority < past.priority
            ORDER BY job.priority DESC, job.tenant, job.kind, job.version, job.run_at, job.seq LIMIT 1
        )
        LIMIT 1
    ) AS head
)
