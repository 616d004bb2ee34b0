"""Every kind of effect that Tenure knows × every barrier at which its worker may die: counted at the outside it is
there once, or the job says honestly that nobody knows.

A diagonal of the product is in the default run: every kind, every barrier and every database is met. The whole is slow.
"""

from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest

from tenure.core.job import Job
from tenure.testing import barriers
from tests.crash.breaking_files import DIES, MOMENTS, SCHEMES
from tests.crash.harness import Site
from tests.crash.helper_tasks import FILES, HELPERS, REQUESTS, opened, other_database
from tests.crash.outside import TROUBLES, Outside
from tests.crash.sites import site_on

BEGUN_NOWHERE = ("after_claim", "before_handler")
"""The handler has not come to its effect."""
RECORDED = ("after_effect_record", "after_handler", "before_flush", "after_flush")
"""The ledger knows, or the success of the job is in the database already."""
POINTS = (*BEGUN_NOWHERE, "before_effect", "before_promote", "after_effect", *RECORDED)
PAIRS = [(helper, point) for helper, point in product(HELPERS, POINTS) if helper in FILES or point != "before_promote"]
DIAGONAL = {
    ("request", "before_effect"), ("request", "after_effect"), ("request_asked", "after_effect"),
    ("request_idempotent", "after_effect"), ("file", "before_promote"), ("file", "after_effect"),
    ("row", "after_effect"), ("row", "before_effect"), ("row_elsewhere", "after_effect"),
    ("request_asked", "before_effect"), ("row_elsewhere", "before_effect"), ("file", "after_effect_record"),
    ("request", "after_claim"), ("row", "before_handler"), ("request_idempotent", "after_handler"),
    ("row_elsewhere", "before_flush"), ("row", "after_flush"),
    ("file_on_fsspec", "before_promote"), ("file_on_fsspec", "after_effect"),
}  # fmt: skip


def on_both(pairs: list[tuple[str, str]], often: int) -> list[object]:
    """Each pair on both databases; of the first `often` one of the two, in turn, is in the default run."""
    found = []
    for place, (helper, what) in enumerate(pairs):
        for database in ("sqlite", "postgres"):
            marks = [pytest.mark.postgres] if database == "postgres" else []
            is_chosen = place < often and (database == "postgres") == bool(place % 2)
            found.append(pytest.param(helper, what, database, marks=marks if is_chosen else [*marks, pytest.mark.slow]))
    return found


PRODUCT = on_both(sorted(PAIRS, key=lambda pair: (pair not in DIAGONAL, pair)), len(DIAGONAL))
TIMING_OUT = on_both(list(product(REQUESTS, TROUBLES)), len(REQUESTS) * len(TROUBLES))


@pytest.fixture
def outside() -> Iterator[Outside]:
    service = Outside()
    yield service
    service.close()


@pytest.fixture
def database(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def site(database: str, tmp_path: Path) -> Iterator[Site]:
    yield from site_on(database, tmp_path)


class Counted:
    """What is there at the outside of one kind of effect."""

    def __init__(self, site: Site, outside: Outside, helper: str) -> None:
        self._site, self._outside, self._helper = site, outside, helper
        self._folder = site.folder / "out"
        self._database = other_database(site.folder) if helper == "row_elsewhere" else site.url

    @property
    def place(self) -> str:
        """What the handler is told."""
        if self._helper in REQUESTS:
            return self._outside.url
        if self._helper == "file_on_fsspec":
            return f"renaming://{self._folder}"
        return str(self._folder) if self._helper == "file" else self._database

    @property
    def times(self) -> int:
        if self._helper in REQUESTS:
            return sum(self._outside.acts.values())
        if self._helper in FILES:
            return [path.read_bytes() for path in self._folder.iterdir()].count(b"made once")
        with opened(self._database) as connection:
            return len(connection.execute("SELECT job FROM domain").fetchall())


def check(site: Site, counted: Counted, ended: Job, helper: str, *, is_unknown: bool, times: int) -> None:
    (row,) = site.run(site.verbs.effects([ended.id]))[ended.id]
    assert counted.times == times
    if helper == "request" and is_unknown:
        assert (ended.state, ended.end_code, row.state) == ("failed", "effect_uncertain", "uncertain")
    else:
        assert (ended.state, row.state) == ("succeeded", "confirmed")


def test_the_diagonal_meets_every_kind_and_every_barrier() -> None:
    assert {helper for helper, _ in DIAGONAL} == set(HELPERS)
    assert {point for _, point in DIAGONAL} == set(POINTS)
    assert set(POINTS) == (barriers.NAMES - {"before_release"}) | barriers.EFFECT_NAMES | {"before_promote"}


@pytest.mark.parametrize(("helper", "point", "database"), PRODUCT, indirect=["database"])
def test_an_effect_whose_worker_is_killed_is_there_once(site: Site, outside: Outside, helper: str, point: str) -> None:
    counted = Counted(site, outside, helper)
    job = site.enqueue(f"effect_{helper}", sort=helper, url=counted.place)
    killed = site.start(environment=barriers.killing(point))
    assert killed.wait() == -9, killed.log
    site.start()
    (ended,) = site.ended(job)
    is_unknown = point not in (*BEGUN_NOWHERE, *RECORDED)
    times = 0 if helper == "request" and point == "before_effect" else 1
    check(site, counted, ended, helper, is_unknown=is_unknown, times=times)


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_file_whose_worker_is_killed_within_its_promotion_stands_whole_or_not_at_all(
    site: Site, scheme: str, moment: str
) -> None:
    folder = site.folder / "out"
    job = site.enqueue("effect_file_on_fsspec", sort="file_on_fsspec", url=f"{scheme}://{folder}")
    killed = site.start(environment={DIES: moment})
    assert killed.wait() == -9, killed.log
    standing = [path.read_bytes() for path in folder.glob("made.txt")]
    assert standing == ([b"made once"] if moment == "after" else [])
    site.start()
    (ended,) = site.ended(job)
    assert (ended.state, ended.end_code) == ("succeeded", None)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == {"made.txt": b"made once"}


@pytest.mark.parametrize(("helper", "trouble", "database"), TIMING_OUT, indirect=["database"])
def test_a_request_whose_answer_does_not_come_is_acted_on_once(
    site: Site, outside: Outside, helper: str, trouble: str
) -> None:
    outside.next = trouble
    counted = Counted(site, outside, helper)
    job = site.enqueue(f"effect_{helper}", sort=helper, url=counted.place)
    site.start()
    (ended,) = site.ended(job)
    times = 0 if helper == "request" and trouble == "hangs_then_does_not" else 1
    check(site, counted, ended, helper, is_unknown=True, times=times)
