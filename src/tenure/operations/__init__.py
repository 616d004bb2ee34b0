"""Joins. One verb a file: ask the store, ask core, write, leave the audit line.

Every operation is a script over a store's verbs; whoever calls it chooses the connection that runs it.
"""
