-- In the order of the primary key. A text is answered whole where it does not begin as asked.
SELECT coalesce(json_agg(json_build_array(kept.place, kept.head, kept.text) ORDER BY {order}), '[]'::json)::text
FROM (SELECT $1::jsonb AS j) AS input CROSS JOIN LATERAL (
    SELECT
        {key}, json_build_array({key}) AS place, left({column}, {head}) AS head,
        CASE WHEN NOT starts_with({column}, input.j->>'but') THEN {column} END AS text
    FROM {table}
    WHERE ({key}) {over} ({past})
    ORDER BY {key} LIMIT (input.j->>'limit')::integer
) AS kept
