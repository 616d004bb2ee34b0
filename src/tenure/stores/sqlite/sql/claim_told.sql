SELECT weight, aging, reserve_percent, reserve_most, slots, uses, {limit_columns} FROM tenure_flow
WHERE tenant IN (SELECT value FROM json_each(?))
  AND (
    weight IS NOT NULL OR concurrency IS NOT NULL OR starts IS NOT NULL OR aging IS NOT NULL OR reserve_percent IS NOT NULL
    OR slots IS NOT NULL OR uses IS NOT NULL
  )
