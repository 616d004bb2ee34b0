-- The rows of limited kinds, held in one order for all. Live leases are counted by a later statement: this one's
-- snapshot is older than the lock that it waited for.
SELECT coalesce(json_object_agg(held.name, held.concurrency), '{}'::json)::text
FROM (
    SELECT kind.name, kind.concurrency FROM tenure_kinds AS kind
    WHERE kind.name = ANY (ARRAY(SELECT jsonb_array_elements_text($1::jsonb->'kinds')))
        AND kind.concurrency IS NOT NULL
    ORDER BY kind.name FOR UPDATE
) AS held
