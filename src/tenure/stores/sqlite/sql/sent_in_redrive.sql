SELECT tenant, kind, count(*) FROM tenure_redrive_jobs INDEXED BY tenure_redrive_jobs_sent
WHERE redrive_id = ? AND sent_at > ?
GROUP BY tenant, kind
