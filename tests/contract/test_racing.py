"""Submitters and claimers that come at the same time."""

from collections import Counter

import pytest

from tenure import Tenure
from tenure.core.errors import KeyConflict
from tenure.core.lease import Lease
from tenure.stores.protocol import Store
from tests.conformance.asking import Ask, new
from tests.conformance.racing import race


@pytest.fixture
def app(store: Store) -> Tenure:
    app = Tenure("memory://")
    app.use(store)

    @app.task(kind="k")
    def k(n: int) -> int:
        return n

    return app


def test_racing_submitters_of_one_key_get_one_job(app: Tenure) -> None:
    task = app.tasks["k"].using(idempotency_key="statement/2026-05")
    handles = race([lambda: task.enqueue(n=1) for _ in range(12)])
    assert len({handle.id for handle in handles}) == 1
    assert [handle.created for handle in handles].count(True) == 1


def test_racing_submitters_of_one_key_with_different_arguments_get_one_job_and_refusals_that_name_it(
    app: Tenure,
) -> None:
    task = app.tasks["k"].using(idempotency_key="statement/2026-05")

    def submit(n: int) -> str:
        try:
            return task.enqueue(n=n).id
        except KeyConflict as refused:
            return f"refused: {refused}"

    answers = race([lambda n=n: submit(n) for n in range(8)])  # type: ignore[misc]
    (winner,) = (answer for answer in answers if not answer.startswith("refused"))
    assert sum(winner in answer for answer in answers if answer.startswith("refused")) == 7


def test_racing_claims_never_share_a_job(ask: Ask) -> None:
    ids = [answer.id for answer in ask.enqueue(*(new() for _ in range(60)))]

    def claim_all(worker: str) -> list[Lease]:
        held: list[Lease] = []
        while fresh := ask.leases(3, worker=worker):
            held += fresh
        return held

    claimed = [lease for held in race([lambda w=w: claim_all(f"w{w}") for w in range(6)]) for lease in held]  # type: ignore[misc]
    assert Counter(lease.job_id for lease in claimed) == dict.fromkeys(ids, 1)
    assert len({lease.fencing_token for lease in claimed}) == len({lease.token for lease in claimed}) == 60
