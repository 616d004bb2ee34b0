"""No link of a page leads nowhere."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.docs import pages

_LINK = re.compile(r"\]\(([^)\s]+)\)")


def broken(page: Path) -> Iterator[str]:
    for link in _LINK.findall(page.read_text(encoding="utf-8")):
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if re.match(r"[a-z]+:", link):
            continue
        if not target.exists() or (anchor and anchor not in pages.headings(target)):
            yield link


@pytest.mark.parametrize("page", pages.every(), ids=lambda page: str(page.relative_to(pages.ROOT)))
def test_links_lead_to_pages_and_headings_that_exist(page: Path) -> None:
    assert list(broken(page)) == []


def test_every_page_of_the_documentation_is_reached_from_its_index() -> None:
    index = pages.ROOT / "docs" / "index.md"
    linked = {(index.parent / link.partition("#")[0]).resolve() for link in _LINK.findall(index.read_text("utf-8"))}
    unreached = [
        page
        for page in pages.every()
        if page.is_relative_to(index.parent) and page != index and page.parent.name != "decisions"
    ]
    assert [page.name for page in unreached if page.resolve() not in linked] == []
