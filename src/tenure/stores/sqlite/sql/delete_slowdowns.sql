DELETE FROM tenure_slowdowns WHERE until <= ?
