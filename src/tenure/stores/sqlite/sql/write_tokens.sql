UPDATE tenure_flow SET tokens = ?, filled_at = ? WHERE queue = ? AND kind = ? AND tenant = ? AND resource = ?
