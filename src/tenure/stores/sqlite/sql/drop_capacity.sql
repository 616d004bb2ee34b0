DELETE FROM tenure_capacities WHERE queue = ? AND tenant = ?
