"""What a forked child forgets of its parent, before anything else runs there.

Another thread of the parent may have held a lock in the moment of the fork; nobody in the child would ever give it
back.
"""

import os
from typing import Final, Protocol
from weakref import WeakSet


class Forgetful(Protocol):
    """Whatever has locks, threads or connections, and may be used by a child that was forked in the midst of it."""

    def forget_parent(self) -> None:
        """Makes locks anew, and drops what only the parent may use. Never raises."""


_forgetful: Final[WeakSet[Forgetful]] = WeakSet()


def forgets(one: Forgetful) -> None:
    """From now on `one.forget_parent()` is called in each forked child, for as long as `one` lives."""
    _forgetful.add(one)


def _forget_all() -> None:
    for one in list(_forgetful):
        one.forget_parent()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_all)
