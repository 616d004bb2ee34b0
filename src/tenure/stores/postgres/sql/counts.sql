SELECT coalesce(json_agg(count ORDER BY count.queue, count.kind, count.state::text), '[]'::json)::text
FROM (SELECT $1::jsonb) AS input, (
    SELECT queue, kind, state, count(*) AS jobs, min(run_at) AS oldest_run_at
    FROM tenure_jobs WHERE pruned_at IS NULL
    GROUP BY queue, kind, state
) AS count
