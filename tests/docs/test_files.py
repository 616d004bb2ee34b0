"""The blocks of the pages on files, secrets and verification do what they say."""

import hashlib
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tenure import Context, InputRef, SecretRef, Tenure
from tenure.cli.main import main
from tenure.engine.barrier import ARTIFACT_NAMES
from tenure.testing import drain, memory_app
from tests.docs import pages
from tests.docs.conftest import Play

PAGE = pages.how_to("files")


def test_the_statement_of_the_page_is_made_and_told(play: Play, folder: Path) -> None:
    play(pages.blocks(PAGE, "python")[:1])
    import printing  # type: ignore[import-not-found]

    with memory_app(printing.app):
        job = printing.statement.enqueue(account="acct_91", folder=str(folder / "out"))
        assert [ran.outcome for ran in drain(printing.app)] == ["succeeded"]
        told = job.result(timeout=0)
    made = folder / "out" / "acct_91.txt"
    assert (told["uri"], told["length"]) == (made.as_uri(), len(made.read_bytes()))
    assert told["metadata"] == {"account": "acct_91"}


def test_the_sweep_of_the_page_is_a_command(folder: Path) -> None:
    line = next(line for line in pages.lines(PAGE) if line.startswith("tenure artifacts"))
    assert CliRunner().invoke(main, line.split()[1:]).output == "0 removed\n"


@pytest.mark.parametrize("name", sorted(ARTIFACT_NAMES))
def test_the_barriers_of_files_stand_on_the_page_of_tests(name: str) -> None:
    assert name in set(pages.spans(pages.how_to("test-your-jobs")))


def test_the_input_of_the_page_is_read(play: Play, folder: Path) -> None:
    play(pages.blocks(PAGE, "python"))
    import loading  # type: ignore[import-not-found]
    import printing

    (folder / "ledger.csv").write_bytes(b"rows")
    ref = InputRef(str(folder / "ledger.csv"), hashlib.sha256(b"rows").hexdigest())
    with memory_app(printing.app):
        job = loading.load.enqueue(ledger=ref)
        drain(printing.app)
        assert job.refresh().result() == 4


def test_the_secret_of_its_page_is_resolved_and_sent(play: Play, monkeypatch: pytest.MonkeyPatch) -> None:
    play(pages.blocks(pages.how_to("secrets"), "python"))
    import paying  # type: ignore[import-not-found]

    sent: list[Any] = []
    monkeypatch.setenv("TENURE_SECRET_BANK_KEY", "s3cret")
    monkeypatch.setattr(Context, "request", lambda *_, **said: sent.append(said["headers"]))
    with memory_app(paying.app):
        paying.pay.enqueue(order=7, bank=SecretRef("bank-key"))
        assert [ran.outcome for ran in drain(paying.app)] == ["succeeded"]
    assert sent == [{"Authorization": "Bearer s3cret"}]


def test_the_verification_of_the_page_on_errors_denies_an_import_of_nothing(folder: Path) -> None:
    app = Tenure("sqlite:///never-opened.db")
    block = pages.blocks(pages.how_to("errors-and-retries"), "python")[2]
    names: dict[str, Any] = {"app": app, "Context": Context}
    exec(compile(block.text.replace("...", "return {'rows': 0}"), "page", "exec"), names)
    with memory_app(app):
        names["import_rows"].enqueue(source="a")
        assert drain(app)[0].code == "verification_failed"
