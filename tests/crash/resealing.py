"""A process that seals everything anew and nothing else: `python -m tests.crash.resealing URL STATEMENTS`.

It kills itself after so many statements.
"""

import sys

from tenure.app.databases.addresses import store_of
from tenure.app.operators.resealing import batches
from tenure.stores.protocol import Store
from tests.crash.redriving import Mortal
from tests.sealing_keys import keyring


class MortalSealer(Mortal):
    def __init__(self, store: Store, statements: int) -> None:
        super().__init__(store, statements)
        self.keyring = store.keyring


def main(url: str, statements: int) -> None:
    store = store_of(url, keyring("b", "a"))
    store.open()
    for _ in batches(MortalSealer(store, statements), who="op", why="", size=2):  # type: ignore[arg-type]
        pass
    store.close()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
