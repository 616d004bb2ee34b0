INSERT INTO tenure_flow AS rule (queue, kind, tenant, weight)
SELECT '', '', said.tenant, said.weight FROM jsonb_to_record($1::jsonb) AS said (tenant text, weight integer)
ON CONFLICT (tenant, kind, queue, resource) DO UPDATE SET weight = EXCLUDED.weight
RETURNING rule.tenant
