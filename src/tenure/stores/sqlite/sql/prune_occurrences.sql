DELETE FROM tenure_occurrences WHERE (schedule_id, id) IN (
    SELECT schedule_id, id FROM tenure_occurrences WHERE decided_at <= ? ORDER BY decided_at, id LIMIT ?
)
RETURNING id
