WITH input AS MATERIALIZED (
    SELECT $1::jsonb AS j
), dropped AS (
    DELETE FROM tenure_schedules AS schedule USING input
    WHERE schedule.id = (input.j->>'id')::uuid AND schedule.revision = (input.j->>'seen')::integer
    RETURNING schedule.id
)
SELECT json_build_object('count', count(*))::text FROM dropped
