SELECT kind, coalesce(slots, 1), coalesce(uses, '[]') FROM tenure_flow
WHERE slots IS NOT NULL OR uses IS NOT NULL
