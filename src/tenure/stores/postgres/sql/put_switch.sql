WITH put AS (
    INSERT INTO tenure_switches (name, who, why, at)
    SELECT new.name, new.who, new.why, new.at
    FROM jsonb_to_record($1::jsonb->'switch') AS new (name text, who text, why text, at timestamptz)
    ON CONFLICT DO NOTHING
    RETURNING name
)
SELECT json_build_object('count', count(*))::text FROM put
