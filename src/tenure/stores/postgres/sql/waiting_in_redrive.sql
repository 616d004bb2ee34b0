WITH input AS MATERIALIZED (
    SELECT $1::jsonb AS j
), row AS (
    SELECT any_of.* FROM tenure_redrive_jobs AS any_of
    WHERE any_of.redrive_id = (SELECT (j->>'id')::uuid FROM input) AND any_of.state = 'waiting'
        AND (any_of.is_canary OR NOT (SELECT (j->>'canary_only')::boolean FROM input))
        AND NOT (SELECT j->'closed' FROM input)
            @> jsonb_build_array(jsonb_build_object('tenant', any_of.tenant, 'kind', any_of.kind))
        AND NOT EXISTS (
            SELECT FROM tenure_flow AS rule
            WHERE (rule.tenant, rule.kind) IN (('', any_of.kind), (any_of.tenant, '')) AND rule.queue = ''
                AND rule.resource = '' AND rule.paused_at IS NOT NULL
        )
        AND NOT EXISTS (
            SELECT FROM tenure_flow AS rule JOIN tenure_jobs AS job ON job.queue = rule.queue
            WHERE job.id = any_of.job_id AND rule.tenant = '' AND rule.kind = '' AND rule.queue <> ''
                AND rule.paused_at IS NOT NULL
        )
        AND NOT EXISTS (
            SELECT FROM tenure_flow AS own JOIN tenure_flow AS rule ON rule.resource = ANY (own.uses)
            WHERE own.tenant = '' AND own.kind = any_of.kind AND own.queue = '' AND own.resource = ''
                AND rule.resource <> '' AND rule.paused_at IS NOT NULL
        )
    ORDER BY any_of.is_canary DESC, any_of.place LIMIT (SELECT (j->>'limit')::integer FROM input)
)
SELECT coalesce(json_agg(row ORDER BY row.is_canary DESC, row.place), '[]'::json)::text FROM row
