"""The first block of the page on the service, as it is typed beside an application, ends in a service that lets in."""

import os
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import httpx2

from tests.docs import pages
from tests.http.platform.test_serve_command import APPLICATION, address
from tests.processes import Child

PAGE = pages.how_to("http-service")
PATIENCE = 60.0


def typed() -> list[str]:
    """Its lines but for the installation, on this machine alone and on a free port."""
    installing, *lines = pages.blocks(PAGE, "sh")[0].text.splitlines()
    assert installing.startswith("pip install")
    *before, serving = lines
    assert serving == "tenure serve shop:app --host 0.0.0.0 --port 8000"
    return [*before, f"exec {serving.replace('0.0.0.0', '127.0.0.1').replace('8000', '0')}"]


def walking(folder: Path, out: Path) -> Child:
    (folder / "shop.py").write_text("\n".join(line.removeprefix("    ") for line in APPLICATION.splitlines()))
    (folder / "walk.sh").write_text("set -e\n" + "\n".join(typed()))
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    with out.open("wb") as printed:
        return subprocess.Popen(
            ["sh", "walk.sh"],
            cwd=folder,
            env=os.environ | {"PATH": path},
            stdout=printed,
            stderr=subprocess.PIPE,
            text=True,
        )


def test_the_block_of_the_page_ends_in_a_service_that_lets_its_key_in(folder: Path) -> None:
    printed = folder / "printed"
    child = walking(folder, printed)
    try:
        url = address(child)
        key = re.search(r"^tenure_[\w-]{43}$", printed.read_text(encoding="utf-8"), re.MULTILINE)
        assert key is not None
        answer = httpx2.get(f"{url}/jobs", headers={"authorization": f"Bearer {key[0]}"}, trust_env=False)
        assert answer.status_code == 200
        child.send_signal(signal.SIGTERM)
        assert child.wait(PATIENCE) == 0
    finally:
        child.kill()
        child.communicate()
    assert sorted(path.name for path in folder.glob("*.db")) == ["shop.db"]


def test_each_page_that_makes_keys_names_the_database_first() -> None:
    for page in pages.every():
        for block in pages.blocks(page, "sh"):
            lines = [line.partition("  #")[0] for line in block.text.splitlines()]
            makes = [place for place, line in enumerate(lines) if "tenure keys create" in line]
            named = [
                place for place, line in enumerate(lines) if "TENURE_DATABASE_URL=" in line or "--database" in line
            ]
            assert not makes or (named and named[0] <= makes[0]), f"{page}: {shlex.quote(lines[makes[0]])}"
