"""The ledger of an attempt over HTTP: its effects and checkpoints. Documents stay text, byte for byte."""

from typing import Any, Final, NamedTuple, NoReturn

import msgspec
from msgspec import UNSET, Raw

from tenure.app.handling.ledger import Asking, Begun, Recorded
from tenure.client import wire
from tenure.client.call import Call, made
from tenure.client.line import Line
from tenure.core.errors import LeaseLost, Misconfigured, NotFound, StaleLease, TenureError
from tenure.core.lease import Beat, Lease
from tenure.core.ledger.effect import Said
from tenure.core.ledger.effects import What, Wish
from tenure.core.ledger.reconciling import Absent, Happened
from tenure.core.outcomes import EffectConflict, Terminal
from tenure.core.secrecy import cleaning, sealed
from tenure.edge.effects import FINISHED_OTHERWISE
from tenure.stores.protocol import Store

_NULL: Final = Raw(b"null")


class RecordedElsewhere(NamedTuple):
    """A row of an effect, as far as the service tells it. result: JSON text."""

    key: str
    request_id: str
    result: str | None
    error_code: str | None
    error: str | None


class _Row(msgspec.Struct, frozen=True, kw_only=True):
    """Of `edge.effects.EffectBody` what the maker of a call reads."""

    key: str
    request_id: str
    error_code: str | None
    error: str | None = None
    result: Raw | msgspec.UnsetType = UNSET
    sealed_with: str | None = None

    def recorded(self) -> RecordedElsewhere:
        _check("the result of an effect", self.sealed_with)
        result = None if self.result in (UNSET, _NULL) else bytes(self.result).decode()
        return RecordedElsewhere(self.key, self.request_id, result, self.error_code, self.error)


class _Begun(msgspec.Struct, frozen=True, kw_only=True):
    what: str
    effect: _Row | None
    wait: float


class _Saved(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    value: Raw | msgspec.UnsetType = UNSET
    sealed_with: str | None = None

    @property
    def text(self) -> str:
        _check(f"the checkpoint {self.name!r}", self.sealed_with)
        return "null" if isinstance(self.value, msgspec.UnsetType) else bytes(self.value).decode()


class _Checkpoints(msgspec.Struct, frozen=True, kw_only=True):
    checkpoints: list[_Saved]
    next: str | None = None


class RemoteLedger:
    """Of one attempt. A service that does not answer raises StoreUnavailable: what was asked may have been done."""

    def __init__(self, line: Line, lease: Lease) -> None:
        self._line, self._lease = line, lease

    def begin_effect(self, wish: Wish) -> Asking[Begun]:
        return self._line.asking(_begin(wish), _read_begun, _not_begun)

    def finish_effect(self, row: Recorded, name: str, said: Said) -> Asking[Recorded | None]:
        call = _finish(self._lease, row.request_id, name, said)
        return self._line.asking(call, lambda ended: ended.recorded(), _not_finished)

    def heartbeat(self) -> Asking[Any]:
        call = wire.heartbeats([Beat(self._lease.job_id, self._lease.token)])
        return self._line.asking(call, lambda beats: beats, _raise)

    def checkpoints(self) -> Asking[dict[str, str]]:
        def ask(cursor: str | None) -> Call[_Checkpoints]:
            return made("list_checkpoints", {"id": self._lease.job_id, "cursor": cursor}, _reading(_Checkpoints))

        return self._line.asking_pages(ask, _by_name, self._lost)

    def save_checkpoint(self, name: str, value: str) -> Asking[str]:
        said = {"id": self._lease.job_id, "name": name, "lease_token": self._lease.token, "value": Raw(value.encode())}
        call = made("save_checkpoint", said, _reading(_Saved))
        return self._line.asking(call, lambda saved: saved.text, self._lost)

    def beside_transaction(self) -> Store:
        raise Misconfigured(
            "this worker's jobs are kept by a service: no transaction of yours reaches the database that they are in",
            hint="Leave connection= out; or run this handler in a worker that names the database itself (--database).",
        )

    def _lost(self, error: TenureError) -> NoReturn:
        if not isinstance(error, (StaleLease, NotFound)):
            raise error
        raise LeaseLost(f"attempt {self._lease.attempt} of job {self._lease.job_id} lost its lease") from error


def _check(what: str, key_id: str | None) -> None:
    """Raises Terminal for a document that the service could not open. key_id: of its key."""
    if key_id is not None:
        raise Terminal(sealed.KEY_MISSING, f"{what} is sealed with key {key_id!r}, and the service does not open it")


def _begin(wish: Wish) -> Call[_Begun]:
    happened = wish.answered.result if isinstance(wish.answered, Happened) else None
    said = {
        "id": wish.job_id, "name": wish.name, "lease_token": wish.token, "request_id": wish.request_id,
        "args": wish.args, "effect_key": wish.key, "timeout": wish.timeout, "idempotent": wish.idempotent,
        "can_ask": wish.can_ask, "asked_of": wish.asked_of, "answered": _answered(wish),
        "result": wire.document(happened),
    }  # fmt: skip
    return made("begin_effect", said, _reading(_Begun))


def _answered(wish: Wish) -> str | None:
    if wish.answered is None:
        return None
    if isinstance(wish.answered, Happened):
        return "happened"
    return "absent" if isinstance(wish.answered, Absent) else "unknown"


def _finish(lease: Lease, request_id: str, name: str, said: Said) -> Call[_Row]:
    words = {
        "id": lease.job_id, "name": name, "lease_token": lease.token, "request_id": request_id,
        "state": said.state.value, "result": wire.document(said.result), "code": said.error_code,
        "error": None if said.error is None else cleaning.message(said.error),
    }  # fmt: skip
    return made("finish_effect", words, _reading(_Row))


def _read_begun(begun: _Begun) -> Begun:
    if begun.what == What.STORED and begun.effect is not None and begun.effect.result is UNSET:
        raise Terminal("effect_result_hidden", "the effect has happened for a job that this worker's key may not see")
    return Begun(What(begun.what), None if begun.effect is None else begun.effect.recorded(), begun.wait)


def _not_begun(error: TenureError) -> Begun:
    if isinstance(error, (StaleLease, NotFound)):
        return Begun(What.LOST)
    if error.code == EffectConflict.default_code:
        return Begun(What.CONFLICT)
    raise error


def _not_finished(error: TenureError) -> None:
    if not isinstance(error, (StaleLease, NotFound)) and error.code != FINISHED_OTHERWISE:
        raise error


def _raise(error: TenureError) -> NoReturn:
    raise error


def _by_name(pages: list[_Checkpoints]) -> dict[str, str]:
    return {saved.name: saved.text for page in pages for saved in page.checkpoints}


def _reading(shape: type[wire.T]) -> "wire.Read[wire.T]":
    return lambda _status, content: wire.decoded(content, shape)
