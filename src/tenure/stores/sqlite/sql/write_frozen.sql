UPDATE tenure_redrive_jobs SET state = ?3, reason = ?4, code = ?5, sent_at = ?6, settled_at = ?7
WHERE redrive_id = ?1 AND place = ?2
