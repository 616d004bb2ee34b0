input AS MATERIALIZED (
    SELECT j, CASE WHEN j ? 'wait' THEN set_config('lock_timeout', j->>'wait', true) END
    FROM (SELECT $1::jsonb AS j) AS given
), clock AS MATERIALIZED (
    SELECT coalesce((j->>'now')::timestamptz, clock_timestamp()) AS now FROM input
), -- One draw for a thousand rows.
drawn AS MATERIALIZED (
    SELECT ARRAY(
        SELECT nextval('tenure_job_seq') FROM generate_series(1, (jsonb_array_length(input.j->'jobs') + 999) / 1000)
    ) AS firsts
    FROM input
)
