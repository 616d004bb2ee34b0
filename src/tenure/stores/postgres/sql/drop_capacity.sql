DELETE FROM tenure_capacities AS rule USING jsonb_to_record($1::jsonb) AS said (queue text, tenant text)
WHERE (rule.queue, rule.tenant) = (said.queue, said.tenant)
RETURNING rule.queue
