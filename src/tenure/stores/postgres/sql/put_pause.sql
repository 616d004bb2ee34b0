WITH put AS (
    INSERT INTO tenure_flow AS rule (queue, kind, tenant, resource, paused_at, paused_by, paused_why)
    SELECT new.queue, new.kind, new.tenant, new.resource, new.at, new.who, new.why
    FROM jsonb_to_record($1::jsonb->'pause')
        AS new (queue text, kind text, tenant text, resource text, at timestamptz, who text, why text)
    ON CONFLICT (tenant, kind, queue, resource) DO UPDATE SET
        paused_at = EXCLUDED.paused_at, paused_by = EXCLUDED.paused_by, paused_why = EXCLUDED.paused_why
    WHERE rule.paused_at IS NULL
    RETURNING rule.queue
)
SELECT json_build_object('count', count(*))::text FROM put
