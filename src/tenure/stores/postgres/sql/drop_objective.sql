DELETE FROM tenure_objectives AS rule USING jsonb_to_record($1::jsonb) AS said (queue text)
WHERE rule.queue = said.queue
RETURNING rule.queue
