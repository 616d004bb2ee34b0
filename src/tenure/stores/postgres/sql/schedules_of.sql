SELECT coalesce(json_agg(schedule ORDER BY schedule.tenant, schedule.name), '[]'::json)::text
FROM (SELECT $1::jsonb AS j) AS input, tenure_schedules AS schedule
WHERE schedule.declared_by = input.j->>'declared_by'
