"""What is hidden of a job's rows, and what of a report before it is stored."""

import json

import msgspec
import pytest

from tenure.core.attempt import ErrorClass
from tenure.core.job import Policy
from tenure.core.lease import of_job
from tenure.core.reports import Completion, Failure, Release, Snoozing
from tenure.core.secrecy.secret_fields import HIDDEN, NONE, Hiding, SecretFields, hiding, shown, stored
from tests.core.making import running

SECRET = "4111222233334444"
KEPT = Policy(secret=("card.number",), secret_result=("receipt",))
PAYLOAD = json.dumps({"card": {"number": SECRET}, "n": 1.0, "big": 12345678901234567890123})
ROW = msgspec.structs.replace(
    running(), policy=KEPT, payload=PAYLOAD, result=f'{{"a":"{SECRET}","receipt":[1]}}', progress=f'"{SECRET}"',
    error=f"no {SECRET}",
)  # fmt: skip
FAILURE = Failure(job_id="j", token="t", error_class=ErrorClass.UNKNOWN, code=f"c_{SECRET}", error=f"no {SECRET}")


def test_a_job_without_secret_fields_is_shown_as_it_is() -> None:
    row = msgspec.structs.replace(ROW, policy=Policy())
    assert hiding(row) is None
    assert shown(row) is row
    assert stored(FAILURE, row) is FAILURE
    assert stored(FAILURE, None) is FAILURE


def test_a_job_is_shown_with_masks_and_every_other_byte_of_its_numbers() -> None:
    told = shown(ROW)
    assert told.payload == '{"card":{"number":"•••"},"n":1.0,"big":12345678901234567890123}'
    assert (told.result, told.progress, told.error) == ('{"a":"•••","receipt":"•••"}', '"•••"', "no •••")


def test_what_the_kind_declares_is_hidden_beside_what_the_job_was_enqueued_with() -> None:
    row = msgspec.structs.replace(ROW, policy=Policy(secret=("n",)))
    told = shown(row, SecretFields(("card",)))
    assert json.loads(told.payload or "")["card"] == json.loads(told.payload or "")["n"] == "•••"


def test_what_was_stored_whole_is_hidden_whole_once_the_payload_has_expired() -> None:
    told = shown(msgspec.structs.replace(ROW, payload=None))
    assert (told.payload, told.result, told.progress, told.error) == (None, HIDDEN, HIDDEN, ROW.error)


def test_what_is_sealed_and_does_not_open_stays_so_and_leaves_the_reason_readable() -> None:
    row = msgspec.structs.replace(ROW, payload="sealed:k:AAAA", result="sealed:k:BBBB")
    told = shown(row)
    assert (told.payload, told.result, told.progress, told.error) == (row.payload, row.result, HIDDEN, row.error)
    unopened = msgspec.structs.replace(FAILURE, code="sealed_key_missing", error="the payload is sealed with key 'k'")
    assert stored(unopened, row) == unopened
    hidden = stored(msgspec.structs.replace(FAILURE, traceback="more words"), row)
    assert isinstance(hidden, Failure)
    assert (hidden.code, hidden.error, hidden.traceback) == ("•••", "•••", "•••")


@pytest.mark.parametrize("payload", ["{", "[" * 100_000, "\x00"])
def test_of_a_payload_that_cannot_be_read_nothing_is_shown(payload: str) -> None:
    told = shown(msgspec.structs.replace(ROW, payload=payload))
    assert (told.payload, told.result, told.error) == (HIDDEN, HIDDEN, "•••")


def test_secret_members_of_the_result_alone_leave_the_payload_as_it_is() -> None:
    told = shown(msgspec.structs.replace(ROW, policy=Policy(secret_result=("receipt",))))
    assert (told.payload, told.error) == (PAYLOAD, ROW.error)
    assert told.result == f'{{"a":"{SECRET}","receipt":"•••"}}'


def test_a_report_is_stored_without_them_but_for_its_result() -> None:
    failed = stored(msgspec.structs.replace(FAILURE, traceback=f"at {SECRET}", progress=f'["{SECRET}"]'), ROW)
    assert (failed.code, failed.error, failed.traceback, failed.progress) == ("c_•••", "no •••", "at •••", '["•••"]')
    done = stored(Completion("j", "t", f'"{SECRET}"', f'"{SECRET}"'), ROW)
    assert (done.result, done.progress) == (f'"{SECRET}"', '"•••"')
    assert stored(Release(job_id="j", token="t", begun=True, code=SECRET), ROW).code == "•••"
    assert stored(Snoozing(job_id="j", token="t", delay=1, progress=f'"{SECRET}"'), ROW).progress == '"•••"'
    assert stored(Snoozing(job_id="j", token="t", delay=1), ROW).progress is None


def test_an_error_that_was_cut_in_the_midst_of_a_secret_is_told_without_the_rest_of_it() -> None:
    said = msgspec.structs.replace(FAILURE, error=f"no {SECRET[:9]}…", traceback=f"{SECRET[-9:]} at")
    told = stored(said, ROW)
    assert (told.error, told.traceback) == ("no •••…", "••• at")


def test_a_note_that_grows_past_its_limit_is_hidden_whole() -> None:
    hides = Hiding('{"k":"abcd"}', SecretFields(("k",)))
    assert hides.note(json.dumps(["abcd"] * 50)) == json.dumps(["•••"] * 50, ensure_ascii=False, separators=(",", ":"))
    assert hides.note(json.dumps(["abcd"] * 120)) == HIDDEN


def test_fields_of_several_declarations_are_all_kept() -> None:
    one, other = SecretFields(("a",), ("x",)), SecretFields(("b",))
    assert one | other == SecretFields(("a", "b"), ("x",))
    assert one | NONE is one
    assert one.lies_in(one | other)
    assert not (one | other).lies_in(one)


def test_what_is_printed_of_a_row_or_a_lease_holds_no_payload() -> None:
    assert SECRET not in repr(ROW).replace(repr(ROW.error), "")
    assert SECRET not in repr(of_job(ROW))
    assert (ROW.lease_token or "…") not in repr(of_job(ROW))
