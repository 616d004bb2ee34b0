WITH added AS (
    INSERT INTO tenure_schedules (
        id, tenant, name, revision, edition, kind, payload, occurrence_as, queue, priority, form, rule, tz, starts_at,
        misfire, misfire_cap, grace, overlap, next_at, waiting_at, open_jobs, flag, paused_at, paused_by, paused_why,
        declared_by, declared_as, declared_with,
        created_at, created_by, updated_at
    )
    SELECT
        new.id, new.tenant, new.name, new.revision, new.edition, new.kind, new.payload, new.occurrence_as, new.queue,
        new.priority, new.form, new.rule, new.tz, new.starts_at, new.misfire, new.misfire_cap, new.grace, new.overlap,
        new.next_at, new.waiting_at, new.open_jobs, new.flag, new.paused_at, new.paused_by, new.paused_why,
        new.declared_by, new.declared_as, new.declared_with,
        new.created_at, new.created_by, new.updated_at
    FROM jsonb_to_record($1::jsonb->'schedule') AS new (
        id uuid, tenant text, name text, revision integer, edition integer, kind text, payload text, occurrence_as
        text, queue text, priority smallint, form text, rule text, tz text, starts_at timestamptz, misfire text,
        misfire_cap integer, grace double precision, overlap text, next_at timestamptz, waiting_at timestamptz,
        open_jobs json, flag text, paused_at timestamptz, paused_by text, paused_why text, declared_by text,
        declared_as text, declared_with json,
        created_at timestamptz, created_by text, updated_at timestamptz
    )
    ON CONFLICT DO NOTHING
    RETURNING id
)
SELECT json_build_object('count', count(*))::text FROM added
