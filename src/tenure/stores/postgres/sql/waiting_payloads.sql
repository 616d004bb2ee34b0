-- Both ends of two indices, so that a look costs the same whatever waits.
WITH input AS (
    SELECT j->>'queue' AS queue, (j->>'limit')::integer AS most, (j->>'head')::integer AS head
    FROM (SELECT $1::jsonb AS j) AS said
),
ends AS (
    (SELECT id, kind, queue, payload, last_error_code
     FROM tenure_jobs WHERE state = 'ready' AND queue = (SELECT queue FROM input)
     ORDER BY priority DESC, tenant, kind, version, run_at, seq LIMIT (SELECT most FROM input))
    UNION ALL
    (SELECT id, kind, queue, payload, last_error_code
     FROM tenure_jobs WHERE state = 'ready' AND queue = (SELECT queue FROM input)
     ORDER BY priority, tenant DESC, kind DESC, version DESC, run_at DESC, seq DESC LIMIT (SELECT most FROM input))
    UNION ALL
    (SELECT id, kind, queue, payload, last_error_code
     FROM tenure_jobs WHERE state = 'scheduled' ORDER BY run_at, seq LIMIT (SELECT most FROM input))
    UNION ALL
    (SELECT id, kind, queue, payload, last_error_code
     FROM tenure_jobs WHERE state = 'scheduled' ORDER BY run_at DESC, seq DESC LIMIT (SELECT most FROM input))
),
found AS (
    SELECT DISTINCT ON (ends.id)
        ends.id, ends.kind, coalesce(left(ends.payload, input.head), '') AS head, ends.last_error_code
    FROM ends, input WHERE ends.queue = input.queue ORDER BY ends.id
)
SELECT coalesce(json_agg(json_build_array(id, kind, head, last_error_code) ORDER BY id), '[]'::json)::text FROM found
