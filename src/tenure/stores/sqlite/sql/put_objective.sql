INSERT INTO tenure_objectives (queue, within, share) VALUES (?1, ?2, ?3)
ON CONFLICT (queue) DO UPDATE SET within = ?2, share = ?3
