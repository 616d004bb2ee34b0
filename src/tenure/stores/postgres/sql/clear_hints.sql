-- Never waits: what a publisher holds is left to the sweep of hints that nobody takes.
WITH gone AS (
    DELETE FROM tenure_hints WHERE job_id = ANY (ARRAY(SELECT job_id FROM tenure_hints FOR UPDATE SKIP LOCKED))
    RETURNING 1
)
SELECT json_build_object('count', count(*))::text FROM gone, (SELECT $1::jsonb) AS input
