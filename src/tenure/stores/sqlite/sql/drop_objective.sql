DELETE FROM tenure_objectives WHERE queue = ?
