UPDATE tenure_flow AS rule
SET tokens = said.tokens, filled_at = said.filled_at
FROM jsonb_to_recordset($1::jsonb->'limits') AS said (place jsonb, tokens double precision, filled_at timestamptz)
WHERE rule.tenant = said.place->>2 AND rule.kind = said.place->>1 AND rule.queue = said.place->>0
    AND rule.resource = said.place->>3
    AND rule.starts IS NOT NULL
RETURNING rule.queue
