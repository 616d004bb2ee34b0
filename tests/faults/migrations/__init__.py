"""FAULTS B81: migrations of a later release, beside workers, producers, callers and other migrators."""
