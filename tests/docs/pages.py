"""The pages that people read, and what stands in them."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]

_FENCE = re.compile(r"^```(?P<language>\w*)(?P<info>[^\n]*)\n(?P<text>.*?)^```$", re.DOTALL | re.MULTILINE)
_SPAN = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
_TITLE = re.compile(r'title="([^"]+)"')


class Block(NamedTuple):
    """A fenced block. title: the name of the file that it stands for, if it is said."""

    language: str
    title: str
    text: str


def every() -> list[Path]:
    """Those of the root, of `docs/` and of the examples."""
    return sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").rglob("*.md")])


def how_to(name: str) -> Path:
    return ROOT / "docs" / "how-to" / f"{name}.md"


def blocks(page: Path, language: str) -> list[Block]:
    """The page's blocks of one language, in order."""
    found = []
    for fence in _FENCE.finditer(page.read_text(encoding="utf-8")):
        if fence["language"] == language:
            title = _TITLE.search(fence["info"])
            found.append(Block(language, title[1] if title else "", fence["text"]))
    return found


def spans(page: Path) -> Iterator[str]:
    """What stands between backticks in the page's prose."""
    yield from _SPAN.findall(_FENCE.sub("", page.read_text(encoding="utf-8")))


def lines(page: Path) -> Iterator[str]:
    """The command lines of the page's `sh` blocks, without comments."""
    for block in blocks(page, "sh"):
        for line in block.text.splitlines():
            command = line.split("  #")[0].strip()
            if command and not command.startswith("#"):
                yield command


def headings(page: Path) -> set[str]:
    """The anchors of the page's headings, as GitHub and most generators make them."""
    prose = _FENCE.sub("", page.read_text(encoding="utf-8"))
    titles = re.findall(r"^#+ (.+)$", prose, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}
