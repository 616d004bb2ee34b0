-- Where the document rests as it was read. A row that somebody holds is left.
WITH input AS MATERIALIZED (
    SELECT $1::jsonb AS j
), change AS MATERIALIZED (
    SELECT said->0 AS place, said->>1 AS before, said->>2 AS after
    FROM input, jsonb_array_elements(input.j->'changes') AS said
), free AS MATERIALIZED (
    SELECT {key}, change.after AS sealed
    FROM change CROSS JOIN LATERAL (
        SELECT {key} FROM {table}
        WHERE ({key}) = ({said}) AND {column} = change.before
        FOR UPDATE SKIP LOCKED
    ) AS one
), changed AS (
    UPDATE {table} AS kept SET {column} = free.sealed
    FROM free WHERE {same}
    RETURNING 1
)
SELECT json_build_object('count', (SELECT count(*) FROM changed))::text
