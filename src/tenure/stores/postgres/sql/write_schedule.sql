-- Where the row still has the revision that the decision saw.
WITH input AS MATERIALIZED (
    SELECT $1::jsonb AS j
), written AS (
    UPDATE tenure_schedules AS schedule
    SET
        revision = after.revision, edition = after.edition, kind = after.kind, payload = after.payload, occurrence_as
        = after.occurrence_as, queue = after.queue, priority = after.priority, form = after.form, rule = after.rule,
        tz = after.tz, starts_at = after.starts_at, misfire = after.misfire, misfire_cap = after.misfire_cap, grace =
        after.grace, overlap = after.overlap, next_at = after.next_at, waiting_at = after.waiting_at, open_jobs =
        after.open_jobs, flag = after.flag, paused_at = after.paused_at, paused_by = after.paused_by, paused_why =
        after.paused_why, declared_by = after.declared_by, declared_as = after.declared_as,
        declared_with = after.declared_with, updated_at =
        after.updated_at
    FROM input, jsonb_to_record(input.j->'schedule') AS after (
        id uuid, tenant text, name text, revision integer, edition integer, kind text, payload text, occurrence_as
        text, queue text, priority smallint, form text, rule text, tz text, starts_at timestamptz, misfire text,
        misfire_cap integer, grace double precision, overlap text, next_at timestamptz, waiting_at timestamptz,
        open_jobs json, flag text, paused_at timestamptz, paused_by text, paused_why text, declared_by text,
        declared_as text, declared_with json,
        created_at timestamptz, created_by text, updated_at timestamptz
    )
    WHERE schedule.id = after.id AND schedule.revision = (input.j->>'seen')::integer
    RETURNING schedule.id
)
SELECT json_build_object('count', count(*))::text FROM written
