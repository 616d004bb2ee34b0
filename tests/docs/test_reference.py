"""The reference says what the code has, no more and no less."""

from pathlib import Path

import pytest

from tests.docs import codes, drawn
from tests.docs.drawing import MARKS, redrawn, without_words
from tests.docs.facts_of_tables import in_postgres, in_sqlite

PAGES = drawn.pages()


def name(page: Path) -> str:
    return page.stem


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_a_reference_page_is_not_stale(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert text == redrawn(text, drawn.DRAWINGS), "run `python -m tests.docs.drawn`, and write what is new"


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_row_of_a_reference_page_is_explained(page: Path) -> None:
    assert without_words(page.read_text(encoding="utf-8"), drawn.DRAWINGS) == []


def test_every_drawing_stands_on_a_page() -> None:
    shown = {part["name"] for page in PAGES for part in MARKS.finditer(page.read_text(encoding="utf-8"))}
    assert shown == drawn.DRAWINGS.keys()


def test_every_code_of_the_source_has_its_row() -> None:
    page = (drawn.FOLDER / "errors.md").read_text(encoding="utf-8")
    found = {code.code for code in codes.found()}
    assert len(found) > 20
    assert {code for code in found if f"`{code}`" not in page} == set()


def test_both_databases_have_the_same_tables_and_columns_but_for_their_own_counters() -> None:
    here, there = in_sqlite(), in_postgres()
    assert there.keys() - here.keys() == {"tenure_order_news"}, "where one writes at a time, nobody misses news"
    assert {table for table in here if here[table].keys() != there[table].keys()} == {"tenure_meta"}
