"""Who calls: keys, tokens of an issuer, this machine; and how often somebody may fail."""
