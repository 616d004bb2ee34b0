"""Whatever fails is tried again within milliseconds: half a minute brings the failures of half an hour."""

import os

HASTE = "TENURE_TEST_HASTE"
"""Set for worker processes that are to make haste."""
PAUSE = 0.004
PATIENCE = 0.001


def make_it_where_it_is_asked_for() -> None:
    if HASTE not in os.environ:
        return
    from tenure.engine import loop
    from tenure.stores.postgres import listener
    from tenure.stores.sqlite import patience

    loop.FIRST_WAIT = loop.LONGEST_WAIT = PAUSE  # type: ignore[misc]
    listener._FIRST_PAUSE = listener._LONGEST_PAUSE = PAUSE  # type: ignore[misc]
    patience.patiently.__defaults__ = (PATIENCE,)
