"""Secret fields as a task declares them, and as its producers and other processes know them."""

from typing import Annotated, Any

import msgspec
import pytest

from tenure import Context, InvalidInput, Misconfigured, Tenure, Terminal
from tenure.app.databases.knowledge import FRESH
from tenure.core.job import Policy
from tenure.core.payloads.documents import load
from tenure.core.states import TERMINAL
from tenure.testing import drain
from tests.engine.living import running, until

SECRET = "4111222233334444"


class Card(msgspec.Struct):
    number: str
    cvv: int = 0


class Item(msgspec.Struct):
    token: Annotated[str, msgspec.Meta(extra_json_schema={"writeOnly": True})]


def declared(app: Tenure, **said: Any) -> Any:
    @app.task(**said)
    def pay(ctx: Context, card: Card | None = None, items: list[Item] = [], free: dict[str, Any] = {}) -> str:  # noqa: B006
        raise RuntimeError(f"no {card.number if card else None}")

    return pay


def test_declared_paths_and_marks_of_types_are_kept_with_the_kind_and_with_each_job(stored: Tenure) -> None:
    pay = declared(stored, secret=["free.key", "card.number"], secret_result=["r"])
    assert pay.kind_row().secret == ("card.number", "free.key", "items.*.token")
    job = pay.enqueue(card=Card(SECRET))
    assert job.row.policy == Policy(secret=pay.kind_row().secret, secret_result=("r",))
    other = Tenure("memory://")
    other.use(stored.opened())
    assert other.get(job.id).payload() == {"card": {"number": "•••", "cvv": 0}}  # type: ignore[union-attr]
    assert other.enqueue("pay", {"card": {"number": SECRET}}).row.policy.secret == pay.kind_row().secret


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("crd.number", "'crd.number' leads nowhere: the handler has no parameter 'crd'"),
        ("card.nmber", "'card.nmber' leads nowhere: card has no member 'nmber'"),
        ("items.token", "'items.token' leads nowhere: items is a list"),
        ("items[0]", "names one place in a list"),
    ],
)
def test_a_path_that_leads_nowhere_is_refused_at_the_declaration(stored: Tenure, path: str, words: str) -> None:
    with pytest.raises(Misconfigured, match="task 'pay': secret: ") as refused:
        declared(stored, secret=[path])
    assert words in refused.value.message
    assert refused.value.hint


def test_the_digest_of_an_idempotency_key_counts_secret_fields(stored: Tenure) -> None:
    pay = declared(stored, secret=["card.number"]).using(idempotency_key="k")
    first = pay.enqueue(card=Card(SECRET))
    assert pay.enqueue(card=Card(SECRET)).id == first.id
    with pytest.raises(Exception, match="idempotency_key_reused") as clash:
        pay.enqueue(card=Card("4999888877776666"))
    assert "4999" not in str(clash.value)


def test_a_producer_of_newer_code_tells_the_database_what_has_become_secret(stored: Tenure) -> None:
    declared(stored).enqueue()
    newer = Tenure("memory://")
    newer.use(stored.opened())
    declared(newer, secret=["card.cvv"]).enqueue()
    store = stored.opened()
    assert store.run(store.verbs.kinds())["pay"].secret == ("card.cvv", "items.*.token")


def test_a_worker_of_older_code_neither_uncovers_a_field_nor_stores_its_values(stored: Tenure) -> None:
    newer = Tenure("memory://")
    newer.use(stored.opened())
    job = declared(newer, secret=["card.number"]).enqueue(card=Card(SECRET))
    declared(stored, max_attempts=1)
    stored.declare_kinds()
    assert [ran.code for ran in drain(stored)] == ["runtime_error"]
    row = newer.get(job.id).row  # type: ignore[union-attr]
    assert row.error == "RuntimeError: no •••"
    store = stored.opened()
    assert store.run(store.verbs.kinds())["pay"].secret == ("card.number", "items.*.token")


def test_a_field_that_was_declared_by_another_process_is_known_after_a_few_seconds(stored: Tenure) -> None:
    job = stored.get(declared(stored).enqueue(free={"key": SECRET}).id)
    assert job is not None
    newer = Tenure("memory://")
    newer.use(stored.opened())
    declared(newer, secret=["free.key"])
    newer.declare_kinds()
    stored.database.known.looked -= FRESH
    stored.enqueue("pay")
    assert newer.get(job.id).payload()["free"] == {"key": "•••"}  # type: ignore[union-attr]
    assert load(stored.opened().run(stored.store.verbs.read([job.id]))[job.id].payload or "") == {
        "free": {"key": SECRET}
    }


@pytest.mark.parametrize(
    "payload",
    [
        {"card": {"number": SECRET, "cvv": "x"}},
        {"card": {"number": SECRET}, "free": object()},
        {"card": SECRET},
        {"card": {"number": SECRET}, SECRET[:3]: 1},
    ],
)
def test_a_refusal_does_not_quote_them(stored: Tenure, payload: Any) -> None:
    declared(stored, secret=["card.number"])
    with pytest.raises(InvalidInput) as refused:
        stored.enqueue("pay", payload)
    told = refused.value
    assert SECRET not in f"{told} {told.hint} {told.args} {told.__cause__} {told.__context__}"


def test_the_log_of_a_worker_of_older_code_tells_nothing_that_newer_code_keeps_secret(
    stored: Tenure, caplog: pytest.LogCaptureFixture
) -> None:
    newer = Tenure("memory://")
    newer.use(stored.opened())
    job = declared(newer, secret=["card.number"]).using(max_attempts=1).enqueue(card=Card(SECRET))
    declared(stored, max_attempts=1)
    with running(stored.worker(poll=0.02)):
        until(lambda: job.refresh().state in TERMINAL)
    assert "RuntimeError: no •••" in caplog.text
    assert SECRET not in caplog.text


class Unprintable:
    def __str__(self) -> str:
        raise ValueError("nobody prints this")


@pytest.mark.parametrize(
    ("line", "args", "told"),
    [
        ("%s pays", (SECRET,), "••• pays"),
        ("%(who)s pays", ({"who": SECRET},), "••• pays"),
        (f"%d pays {SECRET}", ("a",), "%d pays ••• (its arguments do not fit: TypeError)"),
        ("100% of %s", (SECRET,), "100% of %s (its arguments do not fit: TypeError)"),
        ("%s pays", (Unprintable(),), "%s pays (its arguments do not fit: ValueError)"),
        (Unprintable(), (), "(cannot be printed: ValueError)"),
    ],
)
def test_a_line_of_the_log_never_fails_its_handler(
    stored: Tenure, caplog: pytest.LogCaptureFixture, line: object, args: tuple[object, ...], told: str
) -> None:
    @stored.task(secret=["number"])
    def pay(ctx: Context, number: str) -> None:
        ctx.log.warning(line, *args)

    job = pay.enqueue(number=SECRET)
    drain(stored)
    assert job.result(timeout=0) is None
    assert caplog.messages[-1].endswith(f"] {told}")


def test_the_members_of_a_record_hold_no_secret(stored: Tenure, caplog: pytest.LogCaptureFixture) -> None:
    @stored.task(secret=["number"])
    def pay(ctx: Context, number: str) -> None:
        ctx.log.warning("paying", extra={"card": number, "cards": {"of": [number]}, "try": 1, "odd": Unprintable()})

    pay.enqueue(number=SECRET)
    drain(stored)
    record = vars(caplog.records[-1])
    assert (record["card"], record["cards"], record["try"]) == ("•••", "{'of': ['•••']}", 1)
    assert isinstance(record["odd"], Unprintable)


class Key(msgspec.Struct):
    value: str = SECRET


def test_the_default_of_a_secret_parameter_is_in_no_log_note_or_error(
    app: Tenure, caplog: pytest.LogCaptureFixture
) -> None:
    def calls(ctx: Context, *, pin: str = "9876-5432", key: Key = Key()) -> None:  # noqa: B008 (it is what is tested)
        ctx.log.warning("with %s and %s", pin, key.value)
        ctx.progress({"pin": pin})
        raise Terminal("refused", f"{pin} {key.value}")

    calls.__annotations__ = {"ctx": Context, "pin": str, "key": Key, "return": None}
    app.task(kind="calls", secret=["pin", "key.value"])(calls)
    job = app.enqueue("calls")
    assert [ran.outcome for ran in drain(app)] == ["failed"]
    (attempt,) = app.opened().run(app.store.verbs.attempts([job.id]))[job.id]
    assert (attempt.error, attempt.progress) == ("••• •••", '{"pin":"•••"}')
    assert "with ••• and •••" in caplog.text
    assert not {"9876-5432", SECRET} & set(caplog.text.split())
