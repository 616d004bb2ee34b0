"""No list is longer than a page may be, in rows and in bytes, however large the rows are and however many are asked
for."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from tenure.core.kind import Kind
from tenure.http import paging
from tenure.stores.protocol import AuditLine
from tests.http.handlers.asking import ADMIN, VIEWER, WORKER, Asking, Said

LARGE = "x" * 60_000


def walked(ask: Asking, operation: str, member: str, **path: str) -> list[list[Any]]:
    """The pages of a list, each as long as it may be."""
    pages, cursor = [], None
    while True:
        query = {"limit": 500} | ({} if cursor is None else {"cursor": cursor})
        said = ask(ADMIN, operation, query=query, **path)
        assert said.status == 200
        pages.append(said[member])
        assert len(json.dumps(pages[-1])) <= paging.PAGE_BYTES * 1.1 or len(pages[-1]) == 1
        cursor = said["next"]
        if cursor is None:
            return pages


def claimed(ask: Asking) -> Said:
    ask(ADMIN, "enqueue", {"type": "sum", "max_retries": 100})
    return ask(WORKER, "claim")


def many_jobs(ask: Asking) -> tuple[str, str, dict[str, str]]:
    for _ in range(2):
        ask(ADMIN, "enqueue_many", {"jobs": [{"type": "sum", "payload": {"x": LARGE}}] * 20})
    return "list_jobs", "jobs", {}


def many_attempts(ask: Asking) -> tuple[str, str, dict[str, str]]:
    lease = claimed(ask)
    for _ in range(40):
        said = {"lease_token": lease["lease_token"], "error": "x" * 4000, "traceback": "\n" * 16_000, "retry_in": 0}
        assert ask(WORKER, "fail", said, id=lease["id"]).status == 200
        lease = ask(WORKER, "claim")
    return "list_attempts", "attempts", {"id": lease["id"]}


def many_effects(ask: Asking) -> tuple[str, str, dict[str, str]]:
    lease = claimed(ask)
    for number in range(40):
        said = {"lease_token": lease["lease_token"], "request_id": f"r{number}"}
        place = {"id": lease["id"], "name": f"n{number:02}"}
        assert ask(WORKER, "begin_effect", said, **place)["what"] == "call"
        ask(WORKER, "finish_effect", {**said, "state": "confirmed", "result": LARGE}, **place)
    return "list_effects", "effects", {"id": lease["id"]}


def many_checkpoints(ask: Asking) -> tuple[str, str, dict[str, str]]:
    lease = claimed(ask)
    for number in range(40):
        said = {"lease_token": lease["lease_token"], "value": LARGE}
        ask(WORKER, "save_checkpoint", said, id=lease["id"], name=f"n{number:02}")
    return "list_checkpoints", "checkpoints", {"id": lease["id"]}


def many_kinds(ask: Asking) -> tuple[str, str, dict[str, str]]:
    schema = json.dumps({"description": LARGE})
    ask.declare(*(Kind(name=f"k{number:02}", schema=schema) for number in range(38)))
    return "list_kinds", "kinds", {}


def many_keys(ask: Asking) -> tuple[str, str, dict[str, str]]:
    for number in range(40):
        said = {"name": f"k{number}", "role": "viewer", "tenants": [f"{place:0199}" for place in range(300)]}
        assert ask(ADMIN, "create_key", said).status == 201
    return "list_keys", "keys", {}


def many_lines(ask: Asking) -> tuple[str, str, dict[str, str]]:
    store = ask.service.app.opened()
    for _ in range(40):
        store.run(store.verbs.audit(AuditLine(who="w", verb="v", subject="s", why=LARGE)))
    return "list_audit", "lines", {}


@pytest.mark.parametrize(
    "fill", [many_jobs, many_attempts, many_effects, many_checkpoints, many_kinds, many_keys, many_lines]
)
def test_a_list_of_large_rows_comes_in_pages_that_hold_no_more_than_they_may(
    memory: Asking, fill: Callable[[Asking], tuple[str, str, dict[str, str]]]
) -> None:
    operation, member, path = fill(memory)
    pages = walked(memory, operation, member, **path)
    rows = [json.dumps(row, sort_keys=True) for page in pages for row in page]
    assert len(rows) >= 40
    assert len(set(rows)) == len(rows)
    assert len(pages) >= 2 or operation == "list_attempts"


def test_a_row_that_is_larger_than_a_page_still_comes_and_leads_on(
    memory: Asking, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paging, "PAGE_BYTES", 10)
    made = [memory(ADMIN, "enqueue", {"type": "sum"})["id"] for _ in range(3)]
    assert [[row["id"] for row in page] for page in walked(memory, "list_jobs", "jobs")] == [
        [one] for one in made[::-1]
    ]


def test_what_a_page_does_not_show_is_not_read_from_the_database(ask: Asking, monkeypatch: pytest.MonkeyPatch) -> None:
    many_jobs(ask)
    asked: list[int] = []
    verbs = type(ask.service.verbs)
    plain = verbs.list_jobs

    def noted(self: Any, which: Any, before: Any, limit: int) -> Any:
        asked.append(limit)
        return plain(self, which, before, limit)

    monkeypatch.setattr(verbs, "list_jobs", noted)
    first = ask(ADMIN, "list_jobs", query={"limit": 500})
    assert 10 < len(first["jobs"]) < 20
    assert asked == [paging.SLICE]


def test_a_page_is_as_long_as_was_asked_for_and_the_last_one_says_so(ask: Asking) -> None:
    for number in range(paging.SLICE + 1):
        ask(ADMIN, "enqueue", {"type": "sum", "queue": f"q{number:02}"})
    for limit in (1, paging.SLICE, paging.SLICE + 1, 500):
        page = ask(VIEWER, "list_jobs", query={"limit": limit})
        assert len(page["jobs"]) == min(limit, paging.SLICE + 1)
        assert (page["next"] is None) == (limit > paging.SLICE)
    queues = ask(VIEWER, "list_queues", query={"limit": 2, "cursor": "q00"})
    assert ([one["name"] for one in queues["queues"]], queues["next"]) == (["q01", "q02"], "q02")
    assert ask(VIEWER, "list_queues", query={"cursor": "q25"})["next"] is None


def test_workers_come_in_pages(ask: Asking) -> None:
    for number in range(3):
        ask(ADMIN, "enqueue", {"type": "sum"})
        ask(WORKER if number else ADMIN, "claim")
    first = ask(ADMIN, "list_workers", query={"limit": 1})
    assert ([one["worker_id"] for one in first["workers"]], first["next"]) == (["admin"], "admin")
    rest = ask(ADMIN, "list_workers", query={"limit": 1, "cursor": "admin"})
    assert ([one["worker_id"] for one in rest["workers"]], rest["next"]) == (["w1"], None)


def test_the_answer_to_a_batch_shows_jobs_as_long_as_there_is_room_and_tells_the_ids_of_all(memory: Asking) -> None:
    said = memory(ADMIN, "enqueue_many", {"jobs": [{"type": "sum", "payload": {"x": LARGE}}] * 100})
    shown = [one["job"] is not None for one in said["jobs"]]
    assert shown == sorted(shown, reverse=True)
    assert 60 < sum(shown) < 70
    assert {(one["status"], one["created"]) for one in said["jobs"]} == {(201, True)}
    assert all(one["id"] for one in said["jobs"])


def test_a_key_is_shown_by_its_id_without_its_secret(ask: Asking) -> None:
    made = ask(ADMIN, "create_key", {"name": "web", "role": "producer"})
    shown = ask(ADMIN, "show_key", id=made["id"])
    assert "key" not in shown.body
    assert shown.body == {name: value for name, value in made.body.items() if name != "key"}
    assert ask(ADMIN, "show_key", id="0190a000-0000-4000-8000-000000000000")["code"] == "not_found"
