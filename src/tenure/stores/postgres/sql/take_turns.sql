-- A lock for each supersession key until the transaction ends, in one order for all. In a statement of its own: what comes
-- after it has a snapshot that is younger than the wait.
SELECT count(pg_advisory_xact_lock(turn.number))::text
FROM (
    SELECT DISTINCT hashtextextended(place.tenant || chr(1) || place.kind || chr(1) || place.key, 2024) AS number
    FROM jsonb_to_recordset($1::jsonb->'places') AS place (tenant text, kind text, key text)
    ORDER BY number
) AS turn
