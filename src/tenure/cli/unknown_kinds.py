"""A kind may be paused and limited before it is declared; who misspells one should hear of it all the same."""

import click

from tenure.core.spelling import meant
from tenure.stores.protocol import Store


def tell_of_unknown(store: Store, kind: str) -> None:
    """Says on standard error that the database knows no kind of that name, and which one may have been meant."""
    known = store.run(store.verbs.kinds())
    if kind not in known:
        click.echo(f"No kind {kind!r} is declared so far. {meant(kind, known)}".rstrip(), err=True)
