WITH input AS MATERIALIZED (
    SELECT $1::jsonb AS j
), page AS MATERIALIZED (
    SELECT news.id, news.tenant, news.order_key FROM tenure_order_news AS news
    WHERE news.id > (SELECT (j->>'after')::bigint FROM input)
    ORDER BY news.id LIMIT (SELECT (j->>'limit')::integer FROM input)
)
SELECT json_build_object(
    'keys', coalesce((
        SELECT json_agg(DISTINCT jsonb_build_array(tenant, order_key)) FROM page
    ), '[]'::json),
    'after', CASE WHEN (SELECT count(*) FROM page) = (input.j->>'limit')::integer THEN (SELECT max(id) FROM page) END
)::text
FROM input
