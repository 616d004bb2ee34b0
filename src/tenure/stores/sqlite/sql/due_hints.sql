SELECT hint.job_id, hint.refusals, job.state = 'ready'
FROM tenure_hints AS hint INDEXED BY tenure_hints_due LEFT JOIN tenure_jobs AS job ON job.id = hint.job_id
WHERE hint.due_at <= ? ORDER BY hint.due_at, hint.job_id LIMIT ?
