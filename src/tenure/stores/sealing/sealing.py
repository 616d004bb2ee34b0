"""A store's verbs, with keys or without."""

from typing import cast

from tenure.stores.protocol import Verbs
from tenure.stores.sealing.keyring import Keyring


def sealing(verbs: Verbs, keyring: Keyring | None) -> Verbs:
    """The verbs themselves where no key is configured."""
    if keyring is None:
        return verbs
    from tenure.stores.sealing.verbs import SealingVerbs  # Who has no keys does without it in memory.

    return cast(Verbs, SealingVerbs(verbs, keyring))
