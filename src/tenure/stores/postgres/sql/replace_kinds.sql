-- Writes everything of the named kinds, which are there; `put_kinds` came before.
WITH new AS MATERIALIZED (
    SELECT kind.* FROM jsonb_to_recordset($1::jsonb->'kinds') AS kind (
        name text, schema text, queue text, max_attempts integer, run_time_limit double precision, policy json,
        priority smallint, remedies json
    )
)
UPDATE tenure_kinds AS kind
SET schema = new.schema, queue = new.queue, max_attempts = new.max_attempts, run_time_limit = new.run_time_limit,
    policy = new.policy, priority = new.priority, remedies = new.remedies
FROM new WHERE new.name = kind.name
RETURNING kind.name
