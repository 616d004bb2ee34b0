"""One queue and one tenant: shown whether they hold jobs or not, to who may see them."""

from typing import Any

from tests.http.handlers.asking import ADMIN, OTHER_WORKER, VIEWER, Asking, principal


def made(ask: Asking) -> None:
    ask(ADMIN, "enqueue_many", {"jobs": [{"type": "sum", "queue": queue, "tenant": "acme"} for queue in ("mail", "mail", "post")]})  # fmt: skip
    ask(ADMIN, "set_tenant", {"weight": 3}, name="acme")
    ask(ADMIN, "pause_queue", {"why": "the relay is down"}, name="mail")


def told(ask: Asking, who: Any, subject: str, name: str) -> dict[str, Any]:
    body: dict[str, Any] = ask(who, f"show_{subject}", name=name).body
    return {member: body[member] for member in ("name", "jobs", "weight")} | {"pause": (body["pause"] or {}).get("why")}


def test_one_is_shown_with_its_jobs_and_what_is_said_of_it(ask: Asking) -> None:
    made(ask)
    assert told(ask, ADMIN, "queue", "mail") == {
        "name": "mail", "jobs": {"ready": 2}, "weight": None, "pause": "the relay is down",
    }  # fmt: skip
    assert told(ask, ADMIN, "tenant", "acme") == {"name": "acme", "jobs": {"ready": 3}, "weight": 3, "pause": None}
    (listed,) = [one for one in ask(VIEWER, "list_queues")["queues"] if one["name"] == "mail"]
    assert ask(VIEWER, "show_queue", name="mail").body == listed


def test_one_that_holds_nothing_is_shown_and_listed_with_what_is_said_of_it(ask: Asking) -> None:
    ask(ADMIN, "set_tenant", {"weight": 5}, name="later")
    ask(ADMIN, "set_queue", {"aging": 60}, name="slow")
    assert told(ask, VIEWER, "tenant", "later") == {"name": "later", "jobs": {}, "weight": 5, "pause": None}
    assert ask(VIEWER, "show_queue", name="slow")["aging"] == 60
    assert told(ask, VIEWER, "tenant", "unheard of") == {"name": "unheard of", "jobs": {}, "weight": 1, "pause": None}
    assert [(one["name"], one["weight"]) for one in ask(VIEWER, "list_tenants")["tenants"]] == [("later", 5)]
    assert [one["name"] for one in ask(VIEWER, "list_queues")["queues"]] == ["slow"]


def test_only_jobs_of_the_scope_count_and_what_lies_outside_is_refused(memory: Asking) -> None:
    made(memory)
    memory(ADMIN, "enqueue", {"type": "sum", "queue": "post", "tenant": "other"})
    of_acme = principal("viewer", tenants=["acme"], queues=["post"])
    assert told(memory, of_acme, "queue", "post")["jobs"] == {"ready": 1}
    assert memory(of_acme, "show_queue", name="mail").status == 403
    assert memory(of_acme, "show_tenant", name="other").status == 403
    assert memory(OTHER_WORKER, "show_tenant", name="acme").status == 200


def test_what_is_said_of_one_that_holds_nothing_is_told_to_who_has_it_whole(memory: Asking) -> None:
    memory(ADMIN, "pause_queue", {}, name="mail")
    assert memory(VIEWER, "show_queue", name="mail")["pause"] is not None
    assert memory(principal("viewer", tenants=["acme"]), "show_queue", name="mail")["pause"] is None
