"""What is said of the findings names tests that there are, one for each."""

import re

from tests.docs import pages

FOLDER = pages.ROOT / "tests" / "security"


def test_each_finding_names_a_test_of_its_own_file() -> None:
    text = (pages.ROOT / "SECURITY.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| V-(\d\d) [^\n]*`(test_\w+)` \|$", text, re.MULTILINE)
    files = {path.name[6:8]: path.read_text(encoding="utf-8") for path in FOLDER.glob("test_v*.py")}
    assert sorted(number for number, _ in rows) == sorted(files)
    assert [name for number, name in rows if f"def {name}(" not in files[number]] == []
