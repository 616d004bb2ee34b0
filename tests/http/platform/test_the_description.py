"""/openapi.json and /docs are drawn from the table; /metrics counts."""

import re
from typing import Any

import jsonschema_rs
import pytest

from tenure import Tenure
from tenure.edge.descriptions.members import COMMON, OWN
from tenure.edge.descriptions.operations import OF_ANSWERS, OF_OPERATIONS
from tenure.edge.operations import TABLE
from tenure.http.pages import docs_page, metrics, openapi
from tenure.http.pages.pages import DOCS, METRICS, OPENAPI, START
from tenure.operations.hint import start_hints
from tests.http.platform.conftest import Ask, Build, Keys, asked

DOCUMENT: dict[str, Any] = openapi.document(TABLE, "")


def references(part: Any) -> set[str]:
    if isinstance(part, dict):
        own = {part["$ref"]} if isinstance(part.get("$ref"), str) else set()
        return own.union(*(references(value) for value in part.values()))
    return set().union(*(references(value) for value in part)) if isinstance(part, list) else set()


def operation(name: str) -> dict[str, Any]:
    found = [one for methods in DOCUMENT["paths"].values() for one in methods.values() if one["operationId"] == name]
    return dict(found[0])


def test_every_operation_of_the_table_is_described_once() -> None:
    named = [one["operationId"] for methods in DOCUMENT["paths"].values() for one in methods.values()]
    assert sorted(named) == sorted(one.name for one in TABLE)


def test_every_operation_parameter_and_member_is_told_in_words() -> None:
    for methods in DOCUMENT["paths"].values():
        for one in methods.values():
            assert len(one["description"]) > 20, one["operationId"]
            assert one["description"] != one["summary"], one["operationId"]
            for parameter in one.get("parameters", ()):
                assert len(parameter["description"]) > 4, (one["operationId"], parameter["name"])
    for name, schema in DOCUMENT["components"]["schemas"].items():
        for member, drawn in schema.get("properties", {}).items():
            assert len(drawn["description"]) > 4, (name, member)


def test_nothing_is_told_of_what_is_not_there() -> None:
    structs = DOCUMENT["components"]["schemas"]
    there = {member for schema in structs.values() for member in schema.get("properties", {})}
    assert COMMON.keys() <= there
    for name, members in OWN.items():
        assert members.keys() <= (structs[name]["properties"].keys() if name in structs else members.keys()), name
    own = {METRICS.name, OPENAPI.name, DOCS.name, START.name}
    assert OF_OPERATIONS.keys() == {one.name for one in TABLE} | own
    assert {(one.name, status) for one in TABLE for status in one.answers} >= OF_ANSWERS.keys()


def test_an_example_is_one_of_the_values_that_its_member_takes() -> None:
    found = 0
    for schema in DOCUMENT["components"]["schemas"].values():
        for member, drawn in schema.get("properties", {}).items():
            for example in drawn.get("examples", ()):
                found += 1
                whole = {"components": DOCUMENT["components"], **drawn}
                assert jsonschema_rs.Draft202012Validator(whole).is_valid(example), (schema["title"], member)
    assert found > 100


def test_the_two_answers_of_a_claim_are_told_apart() -> None:
    said = operation("claim")["responses"]
    assert "Without `limit` one job" in said["200"]["description"]
    assert "With `limit` a list" in said["200"]["description"]
    assert "nothing to do" in said["204"]["description"]


def test_the_root_leads_to_the_page_and_to_the_description(build: Build) -> None:
    answer = asked(build(), "GET", "/")
    assert answer.json() == {"name": "tenure", "docs": "/docs", "openapi": "/openapi.json", "ready": "/readyz"}


def test_json_ends_with_an_end_of_line_for_whoever_reads_it_in_a_terminal(ask: Ask, build: Build) -> None:
    for path in ("/", "/things", "/openapi.json", "/nowhere", "/alive"):
        assert ask("GET", path).text.endswith("}\n")


def test_every_reference_leads_somewhere() -> None:
    parts = DOCUMENT["components"]
    known = {f"#/components/{part}/{name}" for part in ("schemas", "headers") for name in parts[part]}
    assert references(DOCUMENT)
    assert references(DOCUMENT) <= known


@pytest.mark.parametrize("one", TABLE, ids=lambda one: one.name)
def test_every_refusal_is_a_problem_and_every_answer_has_its_body(one: Any) -> None:
    responses = operation(one.name)["responses"]
    for status in openapi.refusals_of(one):
        assert responses[str(status)]["content"]["application/problem+json"]["schema"]["$ref"].endswith("/Problem")
    for status, bodies in one.answers.items():
        assert ("application/json" in responses[str(status)].get("content", {})) == bool(bodies)


def test_a_body_is_needed_where_it_has_a_needed_member() -> None:
    assert operation("enqueue")["requestBody"]["required"] is True
    assert operation("cancel")["requestBody"]["required"] is False
    assert "requestBody" not in operation("list_jobs")


def test_a_parameter_of_a_query_is_left_out_and_never_null() -> None:
    parameters = {one["name"]: one for one in operation("list_jobs")["parameters"]}
    assert parameters["limit"]["schema"] == {"type": "integer", "minimum": 1, "maximum": 500, "default": 50}
    assert parameters["status"]["schema"] == {"$ref": "#/components/schemas/Status"}
    assert "null" not in str([one["schema"] for one in parameters.values()])


def test_ids_and_instants_of_answers_have_their_format() -> None:
    members = DOCUMENT["components"]["schemas"]["ClaimedBody"]["properties"]
    assert members["id"]["format"] == "uuid"
    assert members["created_at"]["format"] == members["must_end_at"]["format"] == "date-time"
    assert "cost a try" in members["retry_count"]["description"]
    assert "this one included" in members["tries_left"]["description"]


def test_the_headers_of_every_answer_are_described() -> None:
    responses = operation("claim")["responses"]
    assert all("X-Request-Id" in response["headers"] for response in responses.values())
    later = {status for status, response in responses.items() if "Retry-After" in response["headers"]}
    assert later == {"429", "503"}


def test_no_description_speaks_of_our_source() -> None:
    assert not re.search(r"\b(core|edge|app|stores)\.\w+", str(DOCUMENT))


def test_what_is_open_asks_for_no_credential() -> None:
    assert operation("healthz")["security"] == []
    assert operation("enqueue")["security"] == [{"bearer": []}]


def test_the_served_document_has_the_metrics_too(ask: Ask) -> None:
    said = ask("GET", "/openapi.json").json()
    assert said["openapi"] == "3.1.0"
    assert list(said["paths"]["/metrics"]["get"]["responses"]["200"]["content"]) == ["text/plain"]


def test_the_page_names_every_operation_and_runs_nothing(build: Build) -> None:
    page = docs_page.page(DOCUMENT).decode()
    assert all(f'id="{one.name}"' in page for one in TABLE)
    assert not re.search(r"<script|javascript:|\son\w+=|https?://", page)
    answer = asked(build(), "GET", "/docs")
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src" not in policy
    assert "unsafe" not in policy


def section(page: str, identity: str) -> str:
    """From its heading to the next."""
    return page.partition(f'<h2 id="{identity}">')[2].partition("<h2")[0]


def test_the_page_tells_what_every_operation_answers() -> None:
    page = docs_page.page(DOCUMENT).decode()
    claim = section(page, "claim")
    assert "Answers 200: <code>ClaimedBody</code>" in claim
    assert "<code>lease_token</code>" in claim
    assert "Answers 204 There was nothing to do" in claim
    assert "one job under its lease (ClaimedBody" in claim
    assert "cancelled, completed, failed, pending, running" in section(page, "list_jobs")
    assert "Answers 503: <code>Health</code>" in section(page, "readyz")


def test_the_page_has_a_section_for_every_struct_that_it_links_to() -> None:
    page = docs_page.page(DOCUMENT).decode()
    linked = set(re.findall(r'href="#([^"]+)"', page))
    assert {"shape-Problem", "shape-JobBody", "shape-EnqueuedBody"} <= linked
    assert all(f'<h2 id="{one}">' in page for one in linked)


def test_the_page_tells_the_common_refusals_once() -> None:
    page = docs_page.page(DOCUMENT).decode()
    assert page.count("415 Unsupported Media Type") == 1
    assert "Refuses with 404 Not Found, 409 Conflict besides." in section(page, "complete")


def test_the_page_escapes_whatever_it_is_given() -> None:
    hostile = '<img src=x onerror=alert(1)>"'
    schema = {"type": "string", "default": hostile}
    drawn = {"operationId": hostile, "summary": hostile, "security": [], "responses": {"200": {"description": hostile}},
             "parameters": [{"name": hostile, "schema": schema, "required": False}]}  # fmt: skip
    document = {"info": {"version": hostile, "description": hostile}, "components": {"schemas": {}},
                "paths": {f"/{hostile}": {"get": drawn}}}  # fmt: skip
    assert "<img" not in docs_page.page(document).decode()


def lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if not line.startswith("#")]


def test_the_metrics_count_jobs_and_requests(ask: Ask, app: Tenure) -> None:
    app.task(kind='say "hi"\n')(lambda: None)
    app.enqueue('say "hi"\n')
    ask("GET", "/things")
    ask("GET", "/things?limit=99")
    ask("GET", "/things", headers={"authorization": "Bearer x"})
    ask("GET", "/nowhere")
    answer = ask("GET", "/metrics")
    assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    said = lines(answer.text)
    assert r'tenure_jobs{queue="default",kind="say \"hi\"\n",state="ready"} 1' in said
    assert 'tenure_http_requests_total{operation="list",status="200"} 1' in said
    assert 'tenure_http_requests_total{operation="list",status="422"} 1' in said
    assert 'tenure_http_requests_total{operation="list",status="401"} 1' in said
    assert 'tenure_http_requests_total{operation="none",status="404"} 1' in said
    assert "tenure_http_long_polls 0" in said


def test_the_metrics_count_hints_where_somebody_publishes(ask: Ask, app: Tenure) -> None:
    assert "tenure_hints" not in ask("GET", "/metrics").text
    app.ask(lambda verbs: start_hints(verbs, who="test"))
    app.task(kind="hi")(lambda: None)
    app.enqueue("hi")
    said = lines(ask("GET", "/metrics").text)
    assert {"tenure_hints_due 1", "tenure_hints_refused 0"} <= {*said}
    assert any(line.startswith("tenure_hints_oldest_seconds ") for line in said)


@pytest.mark.parametrize(
    ("scope", "is_shown"), [({"tenants": ["acme"]}, False), ({"tenants": ["*"], "kinds": ["mail"]}, True)]
)
def test_the_requests_of_all_tenants_are_counted_for_keys_of_all_tenants(
    build: Build, key: Keys, scope: dict[str, Any], *, is_shown: bool
) -> None:
    headers = {"authorization": f"Bearer {key('viewer', **scope)}"}
    application = build()
    asked(application, "GET", "/things", headers=headers)
    said = asked(application, "GET", "/metrics", headers=headers).text
    assert ("tenure_http_requests_total" in said) is is_shown


def test_the_metrics_tell_what_is_paused_and_lies_in_the_scope(build: Build, app: Tenure, key: Keys) -> None:
    app.pause(queue="post")
    app.pause(tenant="acme")
    wide, narrow = (
        {"authorization": f"Bearer {key('viewer', **scope)}"} for scope in ({"tenants": ["*"]}, {"tenants": ["acme"]})
    )
    application = build()
    told = {
        who: [line for line in lines(asked(application, "GET", "/metrics", headers=headers).text) if "paused" in line]
        for who, headers in (("wide", wide), ("narrow", narrow))
    }
    of_queue, of_tenant = (
        'tenure_paused{subject="queue",name="post"} 1',
        'tenure_paused{subject="tenant",name="acme"} 1',
    )
    assert told == {"wide": [of_queue, of_tenant], "narrow": [of_tenant]}


def test_the_metrics_count_only_jobs_of_the_scope(build: Build, app: Tenure, key: Keys) -> None:
    app.task(kind="mail")(lambda: None)
    app.task(kind="bill")(lambda: None)
    app.enqueue_many([app.item("mail"), app.item("bill"), app.item("mail", tenant="acme")])
    headers = {"authorization": f"Bearer {key('viewer', kinds=['mail'])}"}
    said = [line for line in lines(asked(build(), "GET", "/metrics", headers=headers).text) if "tenure_jobs{" in line]
    assert said == ['tenure_jobs{queue="default",kind="mail",state="ready"} 1']


def test_the_metrics_end_however_many_queues_there_are(
    build: Build, app: Tenure, key: Keys, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(metrics, "MOST_SAMPLES", 2)
    app.task(kind="mail")(lambda: None)
    headers = {"authorization": f"Bearer {key('viewer')}"}

    def told() -> list[str]:
        return [
            line for line in lines(asked(build(), "GET", "/metrics", headers=headers).text) if "tenure_jobs" in line
        ]

    app.enqueue_many([app.item("mail", queue=queue) for queue in "ab"])
    assert told()[-1] == "tenure_jobs_cut 0"
    app.enqueue("mail", queue="c")
    assert len(told()) == 3
    assert told()[-1] == "tenure_jobs_cut 1"
