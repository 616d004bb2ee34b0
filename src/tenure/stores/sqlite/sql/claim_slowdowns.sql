SELECT tenant, kind FROM tenure_slowdowns WHERE until > ?
