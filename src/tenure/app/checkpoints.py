"""What a handler calls to hand something on to a later attempt: `ctx.checkpoint` and its kin."""

from typing import Any

from tenure.app import values
from tenure.core import documents, fields
from tenure.core.checkpoint import Checkpoint
from tenure.engine.run import Run
from tenure.operations.save_checkpoint import save_checkpoint
from tenure.stores.protocol import Store
from tenure.stores.script import Script


class Checkpoints:
    """The part of a Context that survives its attempt. What is saved is read once, at the first question."""

    __slots__ = ("_saved",)
    _run: Run
    _store: Store

    def __init__(self) -> None:
        self._saved: dict[str, Any] | None = None

    def checkpoint(self, name: str, value: Any, *, connection: Any = None) -> None:
        """Saves a named value for later attempts, in the place of an earlier one of this name.

        value: JSON, at most 64 KiB. connection: as for `using(connection=…)`: it is saved if and only if the caller's
        transaction commits, together with the work that it claims. Raises LeaseLost when this attempt may not own the
        job any more (let it pass, so that the transaction rolls back), InvalidInput, TooLarge.
        """
        script = self._saving(name, value)
        if connection is None:
            self._note(name, self._store.run(script))
            return
        from tenure.stores.connections import run_in

        run_in(connection, script, self._store)
        self._saved = None

    async def acheckpoint(self, name: str, value: Any, *, connection: Any = None) -> None:
        """The async twin of `checkpoint`."""
        script = self._saving(name, value)
        if connection is None:
            self._note(name, await self._store.arun(script))
            return
        from tenure.stores.connections import arun_in

        await arun_in(connection, script, self._store)
        self._saved = None

    def checkpoints(self) -> dict[str, Any]:
        """All saved values by name."""
        if self._saved is None:
            self._saved = _values(self._store.run(self._store.verbs.checkpoints(self._run.lease.job_id)))
        return dict(self._saved)

    async def acheckpoints(self) -> dict[str, Any]:
        """The async twin of `checkpoints`."""
        if self._saved is None:
            self._saved = _values(await self._store.arun(self._store.verbs.checkpoints(self._run.lease.job_id)))
        return dict(self._saved)

    def checkpoint_value(self, name: str, default: Any = None) -> Any:
        """One saved value, or `default`."""
        return self.checkpoints().get(name, default)

    async def acheckpoint_value(self, name: str, default: Any = None) -> Any:
        """The async twin of `checkpoint_value`."""
        return (await self.acheckpoints()).get(name, default)

    def _saving(self, name: str, value: Any) -> Script[Checkpoint]:
        text = documents.dump("value", values.plain("value", value))
        lease = self._run.lease
        return save_checkpoint(self._store.verbs, lease.job_id, lease.token, fields.name("name", name), text)

    def _note(self, name: str, saved: Checkpoint) -> None:
        if self._saved is not None:
            self._saved[name] = documents.load(saved.value)


def _values(rows: list[Checkpoint]) -> dict[str, Any]:
    return {row.name: documents.load(row.value) for row in rows}
