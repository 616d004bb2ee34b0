DELETE FROM tenure_slowdowns WHERE tenant = ? AND kind = ? AND until > ? RETURNING kind
