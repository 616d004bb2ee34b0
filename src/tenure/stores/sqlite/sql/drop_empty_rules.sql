DELETE FROM tenure_flow WHERE queue = ? AND kind = ? AND tenant = ? AND resource = ?
  AND paused_at IS NULL AND weight IS NULL AND concurrency IS NULL AND starts IS NULL AND slots IS NULL AND uses IS NULL
  AND aging IS NULL AND reserve_percent IS NULL
