-- By kind, counted up to `most`. In the order of the indexes, so that it is these that are read.
WITH input AS MATERIALIZED (
    SELECT j->>'queue' AS queue, (j->>'most')::integer AS most FROM (SELECT $1::jsonb AS j) AS given
)
SELECT coalesce(json_object_agg(kind, jobs), '{}'::json)::text
FROM (
    SELECT kind, count(*) AS jobs
    FROM (
        (
            SELECT job.kind FROM tenure_jobs AS job WHERE job.state = 'ready' AND job.queue = (SELECT queue FROM input)
            ORDER BY job.priority DESC, job.tenant, job.kind LIMIT (SELECT most FROM input)
        )
        UNION ALL
        (
            SELECT job.kind FROM tenure_jobs AS job
            WHERE job.state IN ('scheduled', 'blocked') AND job.queue = (SELECT queue FROM input)
            ORDER BY job.tenant, job.kind LIMIT (SELECT most FROM input)
        )
        LIMIT (SELECT most FROM input)
    ) AS one
    GROUP BY kind
) AS found
