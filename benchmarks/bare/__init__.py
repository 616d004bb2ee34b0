"""The same work with no library: what the database itself allows on this machine."""
