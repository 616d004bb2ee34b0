-- The later end stands.
WITH new AS (
    SELECT slow.* FROM jsonb_to_record($1::jsonb) AS slow (tenant text, kind text, until timestamptz, code text)
)
INSERT INTO tenure_slowdowns AS slow (tenant, kind, until, code)
SELECT tenant, kind, until, code FROM new
ON CONFLICT (tenant, kind) DO UPDATE SET until = EXCLUDED.until, code = EXCLUDED.code
WHERE slow.until < EXCLUDED.until
RETURNING slow.kind
