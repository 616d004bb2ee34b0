"""Sees all. What applications' own tests need: the store in memory, a clock that stands still, a worker by hand."""

from tenure.testing.asserting import assert_enqueued, assert_not_enqueued
from tenure.testing.clock import FakeClock
from tenure.testing.draining import Ran, adrain, drain
from tenure.testing.memory import memory_app

__all__ = ["FakeClock", "Ran", "adrain", "assert_enqueued", "assert_not_enqueued", "drain", "memory_app"]
