"""What /metrics tells of each queue."""

from tenure.core.principal import Role, scope_of
from tenure.http.pages.metrics import Answered, text
from tests.http.handlers.asking import ADMIN, PRODUCER, WORKER, Asking


def test_queues_tell_how_late_they_are_to_who_has_them_whole(ask: Asking) -> None:
    ask(ADMIN, "set_objective", {"queue": "q", "within": 30})
    ask(PRODUCER, "enqueue_many", {"jobs": [{"type": "sum", "queue": "q"}] * 2})
    ask(WORKER, "claim", {"queues": ["q"]})
    lines = ask.run(text(ask.service, ADMIN.scope, Answered())).decode().splitlines()
    assert 'tenure_queue_objective_seconds{queue="q"} 30.0' in lines
    for name in ("lateness", "oldest"):
        assert any(line.startswith(f'tenure_queue_{name}_seconds{{queue="q"}} ') for line in lines)
    assert not any(line.startswith("tenure_queue_drain_seconds{") for line in lines)
    part = ask.run(text(ask.service, scope_of(Role.VIEWER, tenants=["a"]), Answered())).decode()
    assert "tenure_queue_objective_seconds{" not in part
