UPDATE tenure_redrive_jobs SET state = 'left', reason = ?2, settled_at = ?3
WHERE redrive_id = ?1 AND state = 'waiting'
