"""Secret fields of kinds, on every store: they join, and only a person takes them away."""

import pytest

from tenure.core.errors import InvalidInput
from tenure.core.kind import Kind
from tenure.core.secrecy.secret_fields import SecretFields
from tenure.operations.set_kind import change_kind, set_kind
from tests.conformance.asking import Ask


def kept(ask: Ask, name: str = "k") -> tuple[tuple[str, ...], tuple[str, ...]]:
    row = ask.run(ask.verbs.kinds())[name]
    [page] = ask.run(ask.verbs.kind_page([name], None, 1))
    assert page == row
    return row.secret, row.secret_result


@pytest.mark.parametrize("replace", [False, True])
def test_declarations_of_two_code_versions_are_joined_whichever_comes_last(ask: Ask, replace: bool) -> None:
    ask.run(ask.verbs.put_kinds([Kind(name="k", secret=("z", "a.b"), secret_result=("r",))], replace=replace))
    ask.run(ask.verbs.put_kinds([Kind(name="k", versions=(2,), secret=("é", "a.b", "Z"))], replace=replace))
    assert kept(ask) == (("Z", "a.b", "z", "é"), ("r",))
    ask.run(ask.verbs.put_kinds([Kind(name="k", versions=(1,))], replace=replace))
    assert kept(ask) == (("Z", "a.b", "z", "é"), ("r",))


def test_a_producer_that_knows_more_adds_it_to_a_kind_that_is_there(ask: Ask) -> None:
    ask.run(ask.verbs.put_kinds([Kind(name="k", queue="mine")], replace=False))
    ask.run(ask.verbs.put_kinds([Kind(name="k", secret_result=("r",))], replace=False))
    assert kept(ask) == ((), ("r",))
    assert ask.run(ask.verbs.kinds())["k"].queue == "mine"


def test_they_are_set_by_themselves_where_the_kind_is_there(ask: Ask) -> None:
    ask.run(ask.verbs.put_kinds([Kind(name="k", secret=("a",)), Kind(name="l", secret=("a",))], replace=True))
    assert ask.run(ask.verbs.set_secret_fields("k", SecretFields(("b",), ("c", "d")))) is True
    assert (kept(ask), kept(ask, "l")) == ((("b",), ("c", "d")), (("a",), ()))
    assert ask.run(ask.verbs.set_secret_fields("k", SecretFields())) is True
    assert kept(ask) == ((), ())
    assert ask.run(ask.verbs.set_secret_fields("none", SecretFields(("b",)))) is False


def test_setting_a_kind_joins_them_and_only_saying_none_takes_them_away(ask: Ask) -> None:
    ask.run(set_kind(ask.verbs, Kind(name="k", secret=("a",), secret_result=("r",)), who="ada"))
    ask.run(set_kind(ask.verbs, Kind(name="k"), who="ada"))
    ask.run(change_kind(ask.verbs, "k", {"secret": ("b",)}, who="ada"))
    assert kept(ask) == (("a", "b"), ("r",))
    _, after = ask.run(change_kind(ask.verbs, "k", {"secret": ()}, who="ada", why="it is a name"))
    assert kept(ask) == (after.secret, after.secret_result) == ((), ("r",))
    newest, *_ = ask.run(ask.verbs.audit_lines(1))
    assert (newest.verb, newest.why, newest.detail) == ("set_kind", "it is a name", "replaced: secret")


def test_what_a_schema_marks_cannot_be_taken_away_beside_it(ask: Ask) -> None:
    schema = '{"type":"object","properties":{"t":{"writeOnly":true},"u":{}}}'
    ask.run(change_kind(ask.verbs, "k", {"schema": schema, "secret": ("u",)}, who="ada"))
    assert kept(ask)[0] == ("t", "u")
    ask.run(change_kind(ask.verbs, "k", {"secret": ()}, who="ada"))
    assert kept(ask)[0] == ("t",)


def test_a_path_that_leads_nowhere_is_refused_and_nothing_is_written(ask: Ask) -> None:
    closed = '{"type":"object","properties":{"t":{}},"additionalProperties":false}'
    with pytest.raises(InvalidInput, match="leads nowhere"):
        ask.run(change_kind(ask.verbs, "k", {"schema": closed, "secret": ("u",)}, who="ada"))
    assert ask.run(ask.verbs.kinds()) == {}
