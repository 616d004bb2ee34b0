INSERT INTO tenure_audit (at, who, verb, subject, tenant, kind, queue, why, detail)
SELECT coalesce(line.now, clock_timestamp()), line.who, line.verb, line.subject, line.tenant, line.kind, line.queue,
    line.why, line.detail
FROM jsonb_to_record($1::jsonb) AS line (
    now timestamptz, who text, verb text, subject text, tenant text, kind text, queue text, why text, detail text
)
RETURNING seq::text
