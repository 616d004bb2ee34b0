"""The hot statements of the PostgreSQL store reach their rows through the partial indexes, whatever the table holds."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import msgspec
import psycopg
import pytest

from tenure.core.claim import Ability, ClaimRequest
from tenure.core.flow.capacity import Capacity
from tenure.core.flow.place import Place
from tenure.core.job import NewJob
from tenure.core.job_filter import JobFilter
from tenure.core.lease import Beat
from tenure.core.reports import Completion
from tenure.core.retention import Retention
from tenure.core.states import State
from tenure.stores.postgres import statements
from tenure.stores.postgres.session import OWN_SESSION
from tenure.stores.postgres.store import PostgresStore
from tenure.stores.postgres.walk import Walk
from tenure.stores.resealing import Change
from tenure.stores.script import Statement
from tests.conformance.postgres_server import shared

pytestmark = pytest.mark.postgres

ROWS = 20_000
HOT = (
    "claim", "claim_lane", "claim_further", "complete", "complete_and_claim", "complete_and_claim_lane",
    "complete_and_claim_further", "heartbeat", "promote",
    "expired", "overdue", "due", "insert", "insert_alike", "insert_one", "lock",
    "expire_payloads", "documents", "replace_documents", "claim one", "take hints", "settle hints", "what waits",
    "hold standing", "newest of",
    "claim_look", "claim_candidates", "claim_candidates_free", "claim_take", "waiting", "waiting of tenant", "waiting of tenant in queue", "seen",
    "heads", "queues that wait",
)  # fmt: skip
_LOOKS_FIRST = {
    "claim": "claim_lane", "claim_further": "claim_lane",
    "complete_and_claim": "complete_and_claim_lane", "complete_and_claim_further": "complete_and_claim_lane",
}  # fmt: skip
"""Statements that follow another with the same parameter."""
TABLES_THAT_STAY_SMALL = {
    "tenure_kinds",
    "tenure_slowdowns",
    "tenure_flow",
    "tenure_meta",
    "tenure_switches",
    "tenure_capacities",
    "tenure_objectives",
    "pg_trigger",
}

_FILL = """
INSERT INTO tenure_jobs (
    id, seq, created_at, run_at, updated_at, run_time_limit, version, max_attempts, priority, state, tenant, queue, kind,
    args_digest, payload, policy, tags, lease_token, lease_seconds, started_at, lease_expires_at, must_end_at
)
SELECT
    gen_random_uuid(), nextval('tenure_job_seq'), now(), now(), now(), 3600, 1, 4, 0,
    (CASE WHEN n % 100 = 0 THEN 'running' WHEN n % 10 < 5 THEN 'succeeded' WHEN n % 10 < 8 THEN 'ready' ELSE 'scheduled' END
    )::tenure_state,
    'tenant ' || n % 50, 'default', 'k', 'd', '1', '{}', '[]',
    CASE WHEN n % 100 = 0 THEN 'token' END, 60, now(), now(), now()
FROM generate_series(1, 20000) AS n
"""
_FILL_HINTS = "INSERT INTO tenure_hints (job_id, due_at) SELECT id, run_at FROM tenure_jobs WHERE state = 'ready'"
_FILL_ATTEMPTS = """
INSERT INTO tenure_attempts (
    job_id, number, version, fencing_token, claimed_run_at, started_at, ended_at, begun, after_cancel, after_deadline,
    token_hash, worker, ended_by, outcome
)
SELECT id, 1, 1, 1, now(), now(), now(), true, false, false, 'h', 'w', 'worker', 'succeeded' FROM tenure_jobs
"""


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    server = shared()
    url = server.fresh_database()
    server.execute(_FILL, url)
    server.execute(_FILL_HINTS, url)
    server.execute(_FILL_ATTEMPTS, url)
    server.execute("ANALYZE", url)
    yield url
    server.drop_database(url)


def asked(url: str, name: str) -> Statement:
    """The first statement of the verb `name`, with arguments of an ordinary size."""
    store = PostgresStore(url)
    verbs = store.verbs
    ids = [str(uuid4()) for _ in range(100)]
    request = ClaimRequest(
        claim_id=ids[0], worker="w", holder=None, queue="default", abilities=(Ability("k", 1, 1),), limit=100,
        tokens=ids, after={0: "tenant 7"},
    )  # fmt: skip
    done = [Completion(job_id, "token") for job_id in ids]
    new = [NewJob(id=job_id, kind="k", payload="1", args_digest="d", idempotency_key=job_id) for job_id in ids]
    scripts: dict[str, Any] = {
        "claim_lane": lambda: verbs.claim(request),
        "claim one": lambda: verbs.claim(msgspec.structs.replace(request, only=ids[0])),
        "take hints": lambda: verbs.take_hints("t", 100, 60.0),
        "settle hints": lambda: verbs.settle_hints("t", ids, None),
        "complete": lambda: verbs.complete(done),
        "complete_and_claim_lane": lambda: verbs.complete_and_claim(done, request),
        "heartbeat": lambda: verbs.heartbeat([Beat(job_id, "token") for job_id in ids]),
        "promote": lambda: verbs.promote(100),
        "expired": lambda: verbs.expired(100),
        "overdue": lambda: verbs.overdue(100),
        "due": lambda: verbs.due(100),
        "insert": lambda: verbs.insert(new),
        "insert_alike": lambda: verbs.insert([msgspec.structs.replace(job, idempotency_key=None) for job in new]),
        "insert_one": lambda: verbs.insert(new[:1]),
        "lock": lambda: verbs.lock(ids),
        "hold standing": lambda: verbs.hold_standing([("tenant 7", "k", "key"), ("tenant 8", "k", "key")]),
        "newest of": lambda: verbs.newest_of([("tenant 7", "k", "key"), ("tenant 8", "k", "key")]),
        "prune": lambda: verbs.prune(Retention(), 100),
        "expire_payloads": lambda: verbs.expire_payloads(Retention(payload=timedelta(days=1)), 100),
        "documents": lambda: verbs.documents("payload", (ids[0],), 100, "sealed:a:"),
        "replace_documents": lambda: verbs.replace_documents("result", [Change((one,), "1", "2") for one in ids]),
        "what waits": lambda: verbs.waiting_payloads("default", 100),
        "list": lambda: verbs.list_jobs(
            JobFilter(tenants=("tenant 7",), kinds=("k",), queues=("default",)), ids[0], 50
        ),
        "list running": lambda: verbs.list_jobs(JobFilter(states=(State.RUNNING,), tenants=("tenant 7",)), None, 50),
        "dead letters": lambda: verbs.dead_letters(JobFilter(tenants=("tenant 7",)), None, 100),
        "more dead letters": lambda: verbs.dead_letters(JobFilter(), (datetime.now(UTC), ids[0]), 100),
        "dead letters after": lambda: verbs.dead_letters_after(JobFilter(), (datetime.now(UTC), ids[0]), 100),
        "waiting": lambda: verbs.waiting([Capacity(Place(queue="default"), 1000)]),
        "waiting of tenant": lambda: verbs.waiting([Capacity(Place(tenant="tenant 7"), 1000)]),
        "waiting of tenant in queue": lambda: verbs.waiting([Capacity(Place("default", tenant="tenant 7"), 1000)]),
        "heads": lambda: verbs.heads("default", 100),
        "queues that wait": lambda: verbs.waiting_queues(100),
        "seen": lambda: verbs.seen(600.0, 1000),
        "workers": lambda: verbs.worker_counts(JobFilter(tenants=("tenant 7",)), None, 50),
    }
    walk = Walk(request)
    by_rules = {
        "claim_look": {"claim": walk.asked()},
        "claim_candidates": {
            "queue": "default", "priority": 0, "lanes": [("tenant 7", "k", 1, "now", 1, 100)], "counts": True,
        },
        "claim_candidates_free": {
            "queue": "default", "priority": 0, "lanes": [("tenant 7", "k", 1, "now", 1, 100)], "counts": False,
        },
        "claim_take": {"claim": walk.asked(), "chosen": [(job_id, 1) for job_id in ids]},
    }  # fmt: skip
    if name in by_rules:
        return verbs.ask(name, **by_rules[name])
    try:
        statement = next(scripts[_LOOKS_FIRST.get(name, name)]())
    finally:
        store.close()
    assert isinstance(statement, Statement)
    return statement._replace(text=statements.text(name)) if name in _LOOKS_FIRST else statement


SESSIONS = ("kept", "pooled")
"""A plan that a session of our own keeps, made for no value; and one that a pooler's server makes for this one."""


def plan(url: str, statement: Statement, session: str) -> list[dict[str, Any]]:
    """Every node of the statement's plan."""
    with psycopg.connect(url, cursor_factory=psycopg.ClientCursor) as connection:
        if session == "kept":
            connection.execute(OWN_SESSION)
            types, given = (", ".join([each] * len(statement.args)) for each in ("text", "%s"))
            connection.execute(f"PREPARE asked ({types}) AS {statement.text}")
            row = connection.execute(f"EXPLAIN (FORMAT JSON) EXECUTE asked ({given})", statement.args).fetchone()
        else:
            text, args = statements.for_psycopg(statement)
            row = connection.execute(f"EXPLAIN (FORMAT JSON) {text}", args).fetchone()
    assert row is not None
    found, left = [], [row[0] if not isinstance(row[0], str) else json.loads(row[0])]
    while left:
        node = left.pop()
        if isinstance(node, list):
            left.extend(node)
        elif isinstance(node, dict):
            found.append(node)
            left.extend(value for value in node.values() if isinstance(value, (list, dict)))
    return found


@pytest.mark.parametrize("session", SESSIONS)
@pytest.mark.parametrize("name", HOT)
def test_a_hot_statement_never_reads_the_table_from_end_to_end(url: str, name: str, session: str) -> None:
    nodes = plan(url, asked(url, name), session)
    scanned = {node["Relation Name"] for node in nodes if node.get("Node Type") == "Seq Scan"}
    assert scanned <= TABLES_THAT_STAY_SMALL
    by_key = [node for node in nodes if node.get("Index Name") == "tenure_jobs_pkey"]
    assert all("Index Cond" in node for node in by_key)
    assert len(nodes) > 1


@pytest.mark.parametrize("session", SESSIONS)
@pytest.mark.parametrize(
    ("name", "index"),
    [
        ("claim", "tenure_jobs_ready"),
        ("claim_lane", "tenure_jobs_ready"),
        ("claim_further", "tenure_jobs_ready"),
        ("complete_and_claim", "tenure_jobs_ready"),
        ("complete_and_claim_lane", "tenure_jobs_ready"),
        ("claim one", "tenure_jobs_pkey"),
        ("take hints", "tenure_hints_due"),
        ("settle hints", "tenure_hints_pkey"),
        ("claim_look", "tenure_jobs_ready"),
        ("claim_look", "tenure_jobs_running"),
        ("claim_candidates", "tenure_jobs_ready"),
        ("claim_candidates", "tenure_jobs_running"),
        ("claim_candidates_free", "tenure_jobs_ready"),
        ("claim_take", "tenure_jobs_pkey"),
        ("promote", "tenure_jobs_scheduled"),
        ("due", "tenure_jobs_scheduled"),
        ("expired", "tenure_jobs_running"),
        ("overdue", "tenure_jobs_deadline"),
        ("heartbeat", "tenure_jobs_pkey"),
        ("complete", "tenure_jobs_pkey"),
        ("lock", "tenure_jobs_pkey"),
        ("hold standing", "tenure_jobs_standing"),
        ("newest of", "tenure_jobs_superseding"),
        ("what waits", "tenure_jobs_ready"),
        ("what waits", "tenure_jobs_scheduled"),
        ("prune", "tenure_jobs_ended"),
        ("prune", "tenure_jobs_without_payload"),
        ("expire_payloads", "tenure_jobs_ended"),
        ("expire_payloads", "tenure_jobs_payloads"),
        ("list", "tenure_jobs_pkey"),
        ("list running", "tenure_jobs_running"),
        ("dead letters", "tenure_jobs_failed"),
        ("more dead letters", "tenure_jobs_failed"),
        ("dead letters after", "tenure_jobs_failed"),
        ("workers", "tenure_jobs_running"),
        ("waiting", "tenure_jobs_ready"),
        ("waiting", "tenure_jobs_waiting"),
        ("waiting of tenant", "tenure_jobs_ready"),
        ("waiting of tenant", "tenure_jobs_waiting"),
        ("waiting of tenant in queue", "tenure_jobs_ready"),
        ("waiting of tenant in queue", "tenure_jobs_waiting"),
        ("heads", "tenure_jobs_ready"),
        ("queues that wait", "tenure_jobs_ready"),
        ("queues that wait", "tenure_jobs_waiting"),
        ("seen", "tenure_jobs_ended"),
        ("seen", "tenure_jobs_running"),
        ("seen", "tenure_attempts_pkey"),
    ],
)
def test_a_hot_statement_takes_the_index_that_is_made_for_it(url: str, name: str, index: str, session: str) -> None:
    """B77: what a claim costs depends on no history and no backlog. (Measured: benchmarks/workloads/large.py.)"""
    assert index in {node.get("Index Name") for node in plan(url, asked(url, name), session)}


@pytest.mark.parametrize("session", SESSIONS)
@pytest.mark.parametrize("name", ["dead letters", "more dead letters", "dead letters after"])
def test_a_page_of_dead_letters_begins_behind_its_place_and_sorts_nothing(url: str, name: str, session: str) -> None:
    """Also where many failed at one instant: the place is looked up by the instant and the id."""
    nodes = plan(url, asked(url, name), session)
    (search,) = (node for node in nodes if node.get("Index Name") == "tenure_jobs_failed")
    assert "ROW(ended_at, id)" in search["Index Cond"]
    assert not [node for node in nodes if "Sort" in node.get("Node Type", "")]


def test_no_index_holds_a_column_that_a_heartbeat_writes(url: str) -> None:
    indexed = shared().execute(
        "SELECT DISTINCT attname FROM pg_attribute JOIN pg_index ON indexrelid = attrelid "
        "WHERE indrelid = 'tenure_jobs'::regclass",
        url,
    )
    columns = {name for (name,) in indexed}
    assert columns >= {"id", "queue", "run_at"}
    assert not columns & {"heartbeat_at", "lease_expires_at", "progress", "progress_at"}


@pytest.mark.parametrize("state", ["ready", "scheduled", "running"])
def test_an_index_that_claims_and_sweeps_walk_holds_the_rows_of_its_state_alone(url: str, state: str) -> None:
    """B77: else they would walk through history."""
    ((told,),) = shared().execute(
        f"SELECT pg_get_expr(indpred, indrelid) FROM pg_index WHERE indexrelid = 'tenure_jobs_{state}'::regclass",
        url,
    )
    assert f"state = '{state}'" in told
