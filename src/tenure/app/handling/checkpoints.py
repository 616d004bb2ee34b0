"""What a handler calls to hand something on to a later attempt: `ctx.checkpoint` and its kin."""

from typing import Any

from tenure.app import values
from tenure.app.handling.ledger import Ledger
from tenure.core import fields
from tenure.core.ledger.checkpoint import Checkpoint
from tenure.core.payloads import documents
from tenure.core.secrecy import at_rest
from tenure.engine.attempts.run import Run
from tenure.operations.save_checkpoint import save_checkpoint
from tenure.stores.script import Script


class Checkpoints:
    """The part of a Context that survives its attempt. What is saved is read once, at the first question."""

    __slots__ = ("_saved",)
    _run: Run
    _ledger: Ledger

    def __init__(self) -> None:
        self._saved: dict[str, Any] | None = None

    def checkpoint(self, name: str, value: Any, *, connection: Any = None) -> None:
        """Saves a named value for later attempts, in the place of an earlier one of this name.

        value: JSON, at most 64 KiB. connection: as for `using(connection=…)`: it is saved if and only if the caller's
        transaction commits, together with the work that it claims. Raises LeaseLost when this attempt may not own the
        job any more (let it pass, so that the transaction rolls back), InvalidInput, TooLarge; Misconfigured for a
        connection where the worker's jobs are kept by a service.
        """
        name, text = fields.name("name", name), _text(value)
        if connection is None:
            self._note(name, self._ledger.save_checkpoint(name, text).now())
            return
        from tenure.stores.connections import run_in

        store = self._ledger.beside_transaction()
        run_in(connection, self._saving(name, text), store, verb="checkpoint")
        self._saved = None

    async def acheckpoint(self, name: str, value: Any, *, connection: Any = None) -> None:
        """The async twin of `checkpoint`."""
        name, text = fields.name("name", name), _text(value)
        if connection is None:
            self._note(name, await self._ledger.save_checkpoint(name, text).later())
            return
        from tenure.stores.connections import arun_in

        store = self._ledger.beside_transaction()
        await arun_in(connection, self._saving(name, text), store, verb="acheckpoint")
        self._saved = None

    def checkpoints(self) -> dict[str, Any]:
        """All saved values by name. Raises Terminal for one that is encrypted and does not open here, or is damaged."""
        if self._saved is None:
            self._saved = _values(self._ledger.checkpoints().now())
        return dict(self._saved)

    async def acheckpoints(self) -> dict[str, Any]:
        """The async twin of `checkpoints`."""
        if self._saved is None:
            self._saved = _values(await self._ledger.checkpoints().later())
        return dict(self._saved)

    def checkpoint_value(self, name: str, default: Any = None) -> Any:
        """One saved value, or `default`."""
        return self.checkpoints().get(fields.name("name", name), default)

    async def acheckpoint_value(self, name: str, default: Any = None) -> Any:
        """The async twin of `checkpoint_value`."""
        return (await self.acheckpoints()).get(fields.name("name", name), default)

    def _saving(self, name: str, text: str) -> Script[Checkpoint]:
        lease, verbs = self._run.lease, self._ledger.beside_transaction().verbs
        return save_checkpoint(verbs, lease.job_id, lease.token, name, text)

    def _note(self, name: str, saved: str) -> None:
        if self._saved is not None:
            self._saved[name] = documents.load(saved)


def _text(value: Any) -> str:
    return documents.dump("value", values.plain("value", value))


def _values(texts: dict[str, str]) -> dict[str, Any]:
    return {name: at_rest.value(f"the checkpoint {name!r}", text) for name, text in texts.items()}
