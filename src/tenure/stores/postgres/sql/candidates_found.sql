WITH input AS MATERIALIZED (
    SELECT $1::jsonb AS j
), clock AS MATERIALIZED (
    SELECT coalesce((j->>'now')::timestamptz, clock_timestamp()) AS now FROM input
), lane AS MATERIALIZED (
    SELECT
        of->>0 AS tenant, of->>1 AS kind, (of->>2)::integer AS version, (of->>3)::timestamptz AS run_at,
        (of->>4)::bigint AS seq, (of->>5)::integer AS wanted
    FROM input, jsonb_array_elements(j->'lanes') AS of
), running AS (
    SELECT job.queue, job.kind, job.tenant, count(*) AS jobs
    FROM tenure_jobs AS job, clock, input
    WHERE job.state = 'running' AND job.lease_expires_at > clock.now AND (j->>'counts')::boolean
    GROUP BY job.queue, job.kind, job.tenant
)
SELECT json_build_object(
    'now', clock.now,
    'running', coalesce(
        (SELECT json_agg(json_build_array(queue, kind, tenant, jobs)) FROM running), '[]'::json
    ),
    'jobs', coalesce((
        SELECT json_agg(json_build_array(lane.tenant, lane.kind, lane.version, head.id) ORDER BY head.run_at, head.seq)
        FROM input CROSS JOIN lane CROSS JOIN LATERAL (
            SELECT job.id, job.run_at, job.seq FROM tenure_jobs AS job
            WHERE job.state = 'ready' AND job.queue = j->>'queue' AND job.priority = (j->>'priority')::smallint
                AND job.tenant = lane.tenant AND job.kind = lane.kind AND job.version = lane.version
                AND (job.run_at, job.seq) >= (lane.run_at, lane.seq)
                AND (job.deadline IS NULL OR job.deadline > clock.now)
            ORDER BY job.run_at, job.seq LIMIT lane.wanted
