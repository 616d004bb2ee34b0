"""`tenure enqueue` and `enqueue-file`."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from click.testing import Result

from tenure import Tenure
from tenure.core.job_filter import JobFilter
from tenure.core.kind import Kind

Run = Callable[..., Result]


def rows(shop: Tenure) -> list[Any]:
    store = shop.opened()
    return store.run(store.verbs.list_jobs(JobFilter(), None, 100))


def test_one_job_is_enqueued_with_its_options(tenure: Run, shop: Tenure) -> None:
    done = tenure(
        "enqueue", "letter", '{"to": "ada"}', "--app", "shop:app", "--key", "k", "--tenant", "acme", "--priority", "high",
        "--run-at", "2030-01-01T00:00:00Z", "--deadline", "2030-01-02T00:00:00+01:00", "--tag", "a", "--tag", "b", "--json",
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    said = json.loads(done.output)
    (job,) = rows(shop)
    assert said == {"id": job.id, "created": True, "state": "scheduled"}
    assert (job.idempotency_key, job.tenant, job.priority, job.tags, job.queue) == ("k", "acme", 20, ("a", "b"), "post")
    assert job.deadline.isoformat() == "2030-01-01T23:00:00+00:00"


def test_a_priority_may_be_a_number(tenure: Run, shop: Tenure) -> None:
    assert tenure("enqueue", "letter", '{"to": "ada"}', "--app", "shop:app", "--priority", "-7").exit_code == 0
    assert rows(shop)[0].priority == -7


def test_a_known_key_is_said_to_be_known(tenure: Run) -> None:
    first = tenure("enqueue", "letter", '{"to": "ada"}', "--app", "shop:app", "--key", "k")
    again = tenure("enqueue", "letter", '{"to": "ada"}', "--app", "shop:app", "--key", "k")
    assert again.output.split()[0] == first.output.split()[0]
    assert "known already" in again.output


def test_a_kind_that_only_the_database_knows_needs_no_application(tenure: Run) -> None:
    assert tenure("kinds", "set", "shop:app").exit_code == 0
    assert tenure("enqueue", "letter", '{"to": "ada"}').exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["letter", "{"], 2, "payload: is not JSON"),
        (["letter", '{"to": 1}'], 2, "payload.to"),
        (["letter", '{"to": "a", "to": "b"}'], 2, "same key twice"),
        (["letter", '{"to": "a", "pages": NaN}'], 2, "number_out_of_range"),
        (["letter", "[]"], 2, "must be an object"),
        (["letter", "[" * 50_000], 2, "payload: "),
        (["letter", '{"to": "a", "pages": 1e400}'], 2, "number_out_of_range"),
        (["letter", '{"to": "\\u0000"}'], 2, "nul_character"),
        (["postcard", "{}"], 2, "unknown_kind"),
        (["letter", '{"to": "a"}', "--key", " "], 2, "idempotency_key: is blank"),
        (["letter", '{"to": "a"}', "--run-at", "2030-01-01"], 2, "has no time zone"),
        (["letter", '{"to": "a"}', "--run-at", "soon"], 2, "is not an ISO 8601 time"),
        (["letter", '{"to": "a"}', "--id", "7"], 2, "is not a UUID"),
        (["letter", '{"to": "a"}', "--app", "nowhere:app"], 2, "no module"),
        (["letter", '{"to": "a"}', "--database", "mysql://x/y"], 2, "no store"),
    ],
)
def test_what_is_wrong_is_told_in_one_line_without_a_traceback(
    tenure: Run, shop: Tenure, arguments: list[str], code: int, words: str
) -> None:
    named = [] if "--app" in arguments or "--database" in arguments else ["--app", "shop:app"]
    done = tenure("enqueue", *arguments, *named)
    assert (done.exit_code, rows(shop)) == (code, [])
    assert words in done.stderr
    assert done.stderr.startswith("Error: ")
    assert len(done.stderr.splitlines()) == 1


def test_a_time_without_a_zone_is_answered_with_one_that_can_be_typed(tenure: Run, shop: Tenure) -> None:
    done = tenure("enqueue", "letter", '{"to": "a"}', "--app", "shop:app", "--run-at", "2030-01-01")
    assert "'2030-01-01' has no time zone (naive_datetime). Write for instance 2026-05-31T18:00:00Z." in done.stderr


def test_a_key_of_other_arguments_has_an_exit_code_of_its_own(tenure: Run) -> None:
    tenure("enqueue", "letter", '{"to": "ada"}', "--app", "shop:app", "--key", "k")
    done = tenure("enqueue", "letter", '{"to": "bob"}', "--app", "shop:app", "--key", "k")
    assert done.exit_code == 6
    assert "idempotency_key_reused" in done.stderr


@pytest.mark.parametrize("priority", ["--5", "9" * 5000, "1.5", "urgent"])
def test_a_priority_that_is_no_number_is_refused_by_name(tenure: Run, shop: Tenure, priority: str) -> None:
    done = tenure("enqueue", "letter", '{"to": "ada"}', "--app", "shop:app", f"--priority={priority}")
    assert done.exit_code == 2
    assert "Error: priority: " in done.stderr
    assert rows(shop) == []


def test_a_payload_may_be_as_deep_in_a_file_as_elsewhere(tenure: Run, shop: Tenure) -> None:
    shop.store.run(shop.store.verbs.put_kinds([Kind(name="free")], replace=False))
    for depth, code in ((63, 0), (64, 2)):
        payload = '{"a": ' + "[" * depth + "]" * depth + "}"
        assert tenure("enqueue", "free", payload).exit_code == code
        done = tenure("enqueue-file", "-", input=f'{{"kind": "free", "payload": {payload}}}\n')
        assert done.exit_code == code, done.output
    assert len(rows(shop)) == 2


def lines(count: int) -> str:
    made = [{"kind": "letter", "payload": {"to": f"n{n}"}, "idempotency_key": f"k{n}"} for n in range(count)]
    return "\n".join(map(json.dumps, made)) + "\n"


def test_a_file_is_enqueued_in_batches_and_again_adds_nothing(tenure: Run, shop: Tenure) -> None:
    first = tenure("enqueue-file", "-", "--app", "shop:app", "--batch", "3", "--json", input=lines(10))
    assert json.loads(first.output) == {"created": 10, "known": 0}
    again = tenure("enqueue-file", "-", "--app", "shop:app", input=lines(11))
    assert again.output == "1 enqueued, 10 known already\n"
    assert len(rows(shop)) == 11


def test_lines_may_leave_the_kind_to_the_command_and_say_any_option(tenure: Run, shop: Tenure) -> None:
    line = {
        "payload": {"to": "ada"},
        "priority": "critical",
        "tags": ["x"],
        "run_at": "2030-01-01T00:00:00Z",
        "delay": None,
    }
    done = tenure("enqueue-file", "-", "--kind", "letter", "--app", "shop:app", input=json.dumps(line) + "\n\n")
    assert done.exit_code == 0, done.output
    (job,) = rows(shop)
    assert (job.priority, job.tags, job.run_at.year) == (30, ("x",), 2030)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("{", "is not JSON"),
        ("[]", "must be an object"),
        ('{"payload": {}}', "kind: is missing"),
        ('{"kind": 5}', "line 4: kind: must be text, not int"),
        ('{"kind": "letter", "payload": {"to": "\\u0000"}}', "line 4: payload.to: contains NUL"),
        ('{"kind": "letter", "payload": {"to": 1e999}}', "line 4: payload.to: is a number out of range"),
        ('{"kind": "letter", "payload": {"to": 1}}', "payload.to"),
        ('{"kind": "letter", "payload": {"to": "a"}, "colour": 1}', "colour: is not an option"),
    ],
)
def test_a_bad_line_is_named_and_its_batch_is_not_stored(tenure: Run, shop: Tenure, line: str, words: str) -> None:
    done = tenure("enqueue-file", "-", "--app", "shop:app", "--batch", "2", input=lines(3) + line + "\n")
    assert done.exit_code == 2
    assert "Error: line 4: " in done.stderr
    assert words in done.stderr
    assert " The lines before its batch are enqueued" in done.stderr
    assert len(rows(shop)) == 2


def test_every_bad_line_of_a_batch_is_named_at_once(tenure: Run, shop: Tenure) -> None:
    bad = '{"kind": "letter", "payload": {"to": 1}}\n'
    done = tenure("enqueue-file", "-", "--app", "shop:app", input=lines(2) + bad + lines(1) + bad + "{\n")
    assert "Error: line 3: payload.to" in done.stderr
    assert " (and 2 more of its batch: 5, 6) (bad_line). Nothing is enqueued" in done.stderr
    many = tenure("enqueue-file", "-", "--app", "shop:app", input="{\n" * 23)
    assert f"(and 22 more of its batch: {', '.join(map(str, range(2, 22)))}, …)" in many.stderr
    assert rows(shop) == []


def test_a_misspelt_option_of_a_line_is_told_what_it_may_be(tenure: Run, shop: Tenure) -> None:
    line = '{"kind": "letter", "payload": {"to": "a"}, "dely": 5}\n'
    done = tenure("enqueue-file", "-", "--app", "shop:app", input=line)
    assert "dely: is not an option of a line (bad_line). Did you mean 'delay'? Nothing is enqueued" in done.stderr


def test_a_bad_line_of_the_first_batch_says_that_nothing_is_enqueued(tenure: Run, shop: Tenure) -> None:
    for batch in ("1", "2", "100"):
        done = tenure("enqueue-file", "-", "--app", "shop:app", "--batch", batch, input="{\n" + lines(3))
        assert done.exit_code == 2
        assert "Error: line 1: is not JSON" in done.stderr
        assert "(bad_line). Nothing is enqueued: mend it, and run this again." in done.stderr
        assert "The lines before" not in done.stderr
    assert rows(shop) == []


@pytest.mark.parametrize(
    ("batch", "stored", "hint"), [("1", 1, "The lines before its batch are enqueued"), ("9", 0, "Nothing is enqueued")]
)
def test_a_line_that_could_never_run_in_time_is_named_by_its_number(
    tenure: Run, shop: Tenure, batch: str, stored: int, hint: str
) -> None:
    late = json.dumps({"kind": "letter", "payload": {"to": "late"}, "deadline": "2020-01-01T00:00:00Z"})
    text = lines(1) + "\n" + late + "\n" + lines(2)
    done = tenure("enqueue-file", "-", "--app", "shop:app", "--batch", batch, input=text)
    assert done.exit_code == 2
    assert "Error: line 3: deadline: 2020-01-01T00:00:00+00:00 is before the job is due (bad_line). Give" in done.stderr
    assert hint in done.stderr
    assert len(rows(shop)) == stored


def test_a_batch_of_one_line_is_called_that_line(tenure: Run, shop: Tenure) -> None:
    other = json.dumps({"kind": "letter", "payload": {"to": "other"}, "idempotency_key": "k1"})
    done = tenure("enqueue-file", "-", "--app", "shop:app", "--batch", "1", input=lines(3) + other + "\n")
    assert "Error: line 4, nothing of which is stored: idempotency key 'k1'" in done.stderr


def test_a_key_of_other_arguments_in_a_file_names_the_lines_that_are_not_stored(tenure: Run, shop: Tenure) -> None:
    other = json.dumps({"kind": "letter", "payload": {"to": "other"}, "idempotency_key": "k2"})
    done = tenure("enqueue-file", "-", "--app", "shop:app", "--batch", "2", input=lines(3) + other + "\n")
    assert done.exit_code == 6
    assert "Error: lines 3 to 4, nothing of which is stored: idempotency key 'k2'" in done.stderr
    assert len(rows(shop)) == 2
