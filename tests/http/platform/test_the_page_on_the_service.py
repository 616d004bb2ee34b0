"""docs/how-to/http-service.md does what it says."""

import asyncio
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tenure.edge import claims
from tenure.http import options, paging, server
from tenure.http.bodies.long_bodies import SHORT
from tenure.http.callers.seen_keys import KEPT_SECONDS
from tenure.http.command import serve
from tenure.http.connections import guarding, pacing
from tenure.http.work import waiting
from tests.architecture.sources import files
from tests.docs import pages
from tests.http.platform.conftest import asked

PAGE = pages.how_to("http-service")
TEXT = " ".join(PAGE.read_text(encoding="utf-8").split())


def test_the_interface_is_mounted_as_the_page_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (block,) = pages.blocks(PAGE, "python")
    names: dict[str, Any] = {}
    exec(block.text, names)
    assert asked(names["web"], "GET", "/jobs-api/readyz").json() == {"ready": True, "troubles": []}

    async def whole_life() -> None:
        async with names["lifespan"](names["web"]):
            await names["jobs_api"].service.started()

    asyncio.run(whole_life())
    assert names["jobs_api"].service._upkeep is None


def test_every_code_of_the_service_itself_stands_on_the_page() -> None:
    source = "\n".join(path.read_text(encoding="utf-8") for path in files("http"))
    said = re.findall(r"""(?:(?:refused|_refuse|plain)\(|return )\s*\d{3}, "(\w+)\"""", source)
    assert len(set(said)) > 10
    assert {code for code in said if f"`{code}`" not in TEXT} == set()


def test_the_limits_of_the_page_are_those_of_the_service() -> None:
    made, served = options.ServiceOptions(), server.ServerOptions()
    assert f"{made.body_bytes // 1024} KiB (`--body-bytes`)" in TEXT
    assert f"{made.batch_bytes // 1024**2} MiB (`--batch-bytes`)" in TEXT
    assert f"{made.held_bytes // 1024**2} MiB (`--held-bytes`)" in TEXT
    assert f"in all depths | {made.values:,} |" in TEXT
    assert f"bodies over {SHORT // 1024} KiB" in TEXT
    assert f"| {made.head_bytes // 1024} KiB, {guarding.HEAD_SECONDS:g} s from the first moment" in TEXT
    assert f"(`--body-bytes`), {made.body_seconds:g} s" in TEXT
    assert f"{guarding.MOST_SMALL_CHUNKS:,} of less than {pacing.MEAN_CHUNK} bytes in the mean" in TEXT
    assert 39 <= pacing.SLICE // len(b"GET / HTTP/1.1\r\nHost:x\r\n\r\n") <= 45
    assert f"| connections | {served.connections:,} (`--connections`)" in TEXT
    assert f"{guarding.WRITE_RATE // 1024} KiB a second, over every {guarding.WRITE_SECONDS:g} s" in TEXT
    assert f"of all connections | {served.unsent_bytes // 1024**2} MiB |" in TEXT
    assert f"| a page of a list | 500 rows, and {paging.PAGE_BYTES // 1024**2} MiB of rows" in TEXT
    assert f"| the jobs of a claim | {claims.MOST_CLAIMED:,}, and some megabytes" in TEXT
    assert f"| long polls | {waiting.MOST:,} |" in TEXT
    assert f"| queues of a claim | {claims.MOST_QUEUES} |" in TEXT
    assert f"together wait for | {waiting.MOST_QUEUES:,} |" in TEXT
    assert waiting.PASSES == 8
    assert (made.failures, made.failures_per_minute) == (20, 20.0)
    assert (made.answer_seconds, served.shutdown_grace, KEPT_SECONDS) == (10.0, 10, 5.0)


def test_the_settings_file_of_the_page_is_understood() -> None:
    (block,) = pages.blocks(PAGE, "toml")
    said = tomllib.loads(block.text)["serve"]
    with serve.make_context("serve", [], default_map=said) as context:
        assert {name: context.params[name] for name in said} == said
