"""Encryption at rest: the keys, and the verbs of a store that seal what goes in and open what comes out."""
