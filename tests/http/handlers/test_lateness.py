"""Lateness and objectives over HTTP."""

from tests.http.handlers.asking import ADMIN, PRODUCER, VIEWER, WORKER, Asking, principal


def test_each_queue_tells_how_late_it_is_against_its_objective(ask: Asking) -> None:
    told = ask(ADMIN, "set_objective", {"queue": "q", "within": 30, "why": "we promise it"})
    assert told.body == {"queue": "q", "changed": True, "objective": {"within": 30.0, "share": 0.95}}
    ask(PRODUCER, "enqueue_many", {"jobs": [{"type": "sum", "queue": "q"}] * 3})
    ask(WORKER, "claim", {"queues": ["q"]})
    (q,) = ask(VIEWER, "list_lateness")["queues"]
    assert (q["queue"], q["waiting"], q["started"], q["within"], q["is_met"]) == ("q", 2, 1, 1.0, True)
    assert (q["objective"], q["drain_seconds"], q["starved"]) == ({"within": 30.0, "share": 0.95}, None, [])
    gone = ask(ADMIN, "set_objective", {"queue": "q"})
    assert (gone["changed"], gone["objective"]) == (True, None)


def test_only_queues_that_the_credential_has_whole_are_told_of(memory: Asking) -> None:
    memory(ADMIN, "enqueue_many", {"jobs": [{"type": "sum", "queue": queue} for queue in ("q", "r")]})

    def seen(**scope: object) -> list[str]:
        return [one["queue"] for one in memory(principal("viewer", **scope), "list_lateness")["queues"]]

    assert (seen(), seen(queues=["r"]), seen(tenants=["a"]), seen(kinds=["sum"])) == (["q", "r"], ["r"], [], [])
    assert memory(principal("operator", queues=["q"]), "set_objective", {"queue": "r", "within": 3}).status == 403
    assert memory(principal("operator", tenants=["a"]), "set_objective", {"queue": "r", "within": 3}).status == 403
