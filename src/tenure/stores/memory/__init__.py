"""The store in memory: the oracle that the databases are compared with, and the store of applications' own tests."""

from tenure.stores.memory.store import MemoryStore

__all__ = ["MemoryStore"]
