"""Documents at rest: what cannot be read any more has a code, whoever reads it."""

import pytest

from tenure import Terminal
from tenure.core.secrecy import at_rest


@pytest.mark.parametrize("text", ["{", "", "nan", '{"n": 12345678901234567890', "[" * 100_000])
def test_a_document_that_is_no_json_any_more_ends_the_attempt_with_a_code(text: str) -> None:
    with pytest.raises(Terminal, match="the checkpoint is no JSON") as raised:
        at_rest.value("the checkpoint", text)
    assert raised.value.code == "stored_document_damaged"


def test_a_sealed_document_names_the_key_that_is_missing() -> None:
    with pytest.raises(Terminal) as raised:
        at_rest.value("the checkpoint", f"sealed:{'0' * 32}:AAAA")
    assert raised.value.code == "sealed_key_missing"


def test_a_document_is_its_plain_value() -> None:
    assert at_rest.value("it", '{"n":12345678901234567890}') == {"n": 12345678901234567890}
