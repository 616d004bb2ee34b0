SELECT coalesce(json_agg(schedule), '[]'::json)::text
FROM (SELECT $1::jsonb AS j) AS input, tenure_schedules AS schedule
WHERE schedule.tenant = input.j->>'tenant' AND schedule.name = input.j->>'schedule'
