DELETE FROM tenure_redrives WHERE ended_at <= ?
    AND NOT EXISTS (SELECT 1 FROM tenure_redrive_jobs WHERE redrive_id = tenure_redrives.id)
