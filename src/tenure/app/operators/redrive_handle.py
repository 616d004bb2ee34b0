"""A redrive in the hands of whoever started it."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from tenure.core import fields
from tenure.core.errors import InvalidInput, NotFound
from tenure.core.redriving.redrive import Frozen, FrozenState, Redrive, RedriveEvent, RedriveState
from tenure.operations.change_redrive import ChangeAnswer, change_redrive

if TYPE_CHECKING:
    from tenure.app.operators.operating import Operating

WHO: Final = "application"
"""Who acts, in the audit."""

_PAGE: Final = 500


class RedriveHandle:
    """A redrive as it was last seen; `refresh` looks again. row: all of it, with its counts.

    Every method raises StoreError, and NotFound once retention has taken the redrive; InvalidInput for a bad argument.
    """

    __slots__ = ("_app", "id", "row")

    def __init__(self, app: "Operating", row: Redrive) -> None:
        self._app, self.row, self.id = app, row, row.id

    def __repr__(self) -> str:
        return f"<Redrive {self.id} {self.state}>"

    @property
    def state(self) -> RedriveState:
        """As it was last seen."""
        return self.row.state

    def refresh(self) -> "RedriveHandle":
        """Looks again; answers itself."""
        return self._take(self._app.ask(lambda verbs: verbs.read_redrive(self.id)))

    def pause(self, why: str = "") -> bool:
        """Sends nothing more until it is resumed. Whether its state let that happen."""
        return self._change(RedriveEvent.PAUSE, why)

    def resume(self, why: str = "") -> bool:
        """Sends again, also after the rule has stopped it; outcomes are counted anew. Raises RedrivesForbidden."""
        return self._change(RedriveEvent.RESUME, why)

    def cancel(self, why: str = "") -> bool:
        """What waits for its turn is left. Whether its state let that happen."""
        return self._change(RedriveEvent.CANCEL, why)

    def jobs(self, state: FrozenState | None = None) -> Iterator[Frozen]:
        """The jobs of the selection, in its order."""
        return self._jobs(None if state is None else _state(state))

    def _jobs(self, state: FrozenState | None) -> Iterator[Frozen]:
        after = -1
        while found := self._page(state, after):
            yield from found
            after = found[-1].place

    def _page(self, state: FrozenState | None, after: int) -> list[Frozen]:
        return self._app.ask(lambda verbs: verbs.frozen_in_redrive(self.id, state, after, _PAGE))

    def _change(self, event: RedriveEvent, why: str) -> bool:
        answer: ChangeAnswer = self._app.ask(
            lambda verbs: change_redrive(verbs, self.id, event, who=WHO, why=fields.words("why", why))
        )
        self._take(answer.redrive)
        return answer.changed

    def _take(self, row: Redrive | None) -> "RedriveHandle":
        if row is None:
            raise NotFound(f"there is no redrive {self.id}")
        self.row = row
        return self


def _state(said: FrozenState) -> FrozenState:
    if not isinstance(said, str) or said not in tuple(FrozenState):
        raise InvalidInput("state", f"{said!r} is none of {', '.join(FrozenState)}")
    return FrozenState(said)
