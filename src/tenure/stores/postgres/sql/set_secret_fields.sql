-- Of a kind the secret fields alone.
UPDATE tenure_kinds AS kind
SET secret = input.j->'secret', secret_result = input.j->'secret_result'
FROM (SELECT $1::json AS j) AS input WHERE kind.name = input.j->>'kind'
RETURNING kind.name
