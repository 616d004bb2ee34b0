WITH input AS MATERIALIZED (
    SELECT $1::jsonb AS j
), lane AS (
    SELECT row.tenant, row.kind, count(*) AS jobs FROM tenure_redrive_jobs AS row
    WHERE row.redrive_id = (SELECT (j->>'id')::uuid FROM input)
        AND row.sent_at > (SELECT (j->>'after')::timestamptz FROM input)
    GROUP BY row.tenant, row.kind
)
SELECT coalesce(json_agg(json_build_array(lane.tenant, lane.kind, lane.jobs)), '[]'::json)::text FROM lane
