SELECT 'closed', '', kind, tenant, '' FROM tenure_slowdowns WHERE until > ?
UNION ALL
SELECT 'closed', queue, kind, tenant, resource FROM tenure_flow WHERE paused_at IS NOT NULL
UNION ALL
SELECT 'told', '', '', '', ''
WHERE EXISTS (
    SELECT 1 FROM tenure_flow
    WHERE weight IS NOT NULL OR concurrency IS NOT NULL OR starts IS NOT NULL
      OR aging IS NOT NULL OR reserve_percent IS NOT NULL
      OR slots IS NOT NULL OR uses IS NOT NULL
)
