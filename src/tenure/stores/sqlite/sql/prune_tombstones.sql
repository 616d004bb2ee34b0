SELECT id FROM tenure_jobs INDEXED BY tenure_jobs_tombstones
WHERE pruned_at IS NOT NULL AND ended_at <= ?1
  AND ended_at <= CASE state WHEN 'succeeded' THEN ?2 WHEN 'cancelled' THEN ?3 ELSE ?4 END
ORDER BY ended_at LIMIT ?5
