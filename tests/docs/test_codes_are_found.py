"""The search for codes finds each way in which the source gives one."""

from pathlib import Path

import pytest

from tests.docs.codes import Code, of_file


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ('InvalidInput("payload", "is no good", code="no_good")', Code("no_good", "InvalidInput")),
        ('InvalidInput("at", "x", code="no_zone" if zoneless else other)', Code("no_zone", "InvalidInput")),
        ('raise Terminal("no_use", message)', Code("no_use", "Terminal", "terminal")),
        ('raise Terminal(f"result_{error.code}", message)', Code("result_…", "Terminal", "terminal")),
        ('failure(run, ErrorClass.UNKNOWN, "went_wrong", text)', Code("went_wrong", "failure", "unknown")),
        ("failure(run, ErrorClass.RETRYABLE, CHILD_DIED, how)", Code("child_died", "failure", "retryable")),
        ('answer = ErrorClass.UNKNOWN, "left"', Code("left", "failure", "unknown")),
        ('class Odd(TenureError):\n    code = "odd"', Code("odd", "class Odd")),
        ('Failure(code="made_by_hand")', Code("made_by_hand", "Failure")),
    ],
)
def test_a_code_is_found_however_it_is_given(tmp_path: Path, source: str, found: Code) -> None:
    file = tmp_path / "source.py"
    file.write_text(source, encoding="utf-8")
    assert found in set(of_file(file))


def test_a_code_that_a_variable_holds_is_none_of_the_products(tmp_path: Path) -> None:
    file = tmp_path / "source.py"
    file.write_text("failure(run, error_class, code, message)\nraise Terminal(code)", encoding="utf-8")
    assert set(of_file(file)) == set()
