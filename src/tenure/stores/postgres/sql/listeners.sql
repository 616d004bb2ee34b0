-- Whether anybody listens in this database; a connection's name is shown to every user.
SELECT (EXISTS (
    SELECT FROM pg_stat_activity
    WHERE datname = current_database() AND application_name = $1::jsonb->>'application'
))::text
