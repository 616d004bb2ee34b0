SELECT coalesce(json_agg(schedule ORDER BY schedule.tenant, schedule.name), '[]'::json)::text
FROM (SELECT $1::jsonb AS j) AS input CROSS JOIN LATERAL (
    SELECT * FROM tenure_schedules AS any_of
    WHERE (any_of.tenant, any_of.name) > (input.j->>'tenant_after', input.j->>'name_after')
        AND (jsonb_typeof(input.j->'tenants') = 'null' OR input.j->'tenants' ? any_of.tenant)
        AND (jsonb_typeof(input.j->'kinds') = 'null' OR input.j->'kinds' ? any_of.kind)
        AND (jsonb_typeof(input.j->'queues') = 'null' OR input.j->'queues' ? any_of.queue)
    ORDER BY any_of.tenant, any_of.name LIMIT (input.j->>'limit')::integer
) AS schedule
