SELECT {frozen_of_row}, job.state, job.end_code, job.ended_at
FROM tenure_redrive_jobs AS row INDEXED BY tenure_redrive_jobs_out LEFT JOIN tenure_jobs AS job ON job.id = row.job_id
WHERE row.redrive_id = ? AND row.state = 'redriven'
    AND (job.id IS NULL OR job.state IN ('succeeded', 'failed', 'cancelled'))
ORDER BY row.place LIMIT ?
