DELETE FROM tenure_redrive_jobs WHERE (redrive_id, place) IN (
    SELECT row.redrive_id, row.place FROM tenure_redrives AS past
    JOIN tenure_redrive_jobs AS row ON row.redrive_id = past.id
    WHERE past.ended_at <= ?1
    ORDER BY row.redrive_id, row.place LIMIT ?2
)
RETURNING place
