"""Decides of what must not be read: sealed documents, secret members, credentials."""
