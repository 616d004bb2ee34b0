DELETE FROM tenure_hints
