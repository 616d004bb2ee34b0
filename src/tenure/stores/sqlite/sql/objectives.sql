SELECT queue, within, share FROM tenure_objectives ORDER BY queue
