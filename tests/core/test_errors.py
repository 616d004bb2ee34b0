"""The errors of the product, whole wherever they go."""

import copy
import pickle

import pytest

from tenure.core import errors, outcomes


def heirs(kind: type[BaseException]) -> list[type[BaseException]]:
    """Every class of core below `kind`, and itself."""
    found = [kind, *(one for child in kind.__subclasses__() for one in heirs(child))]
    return [one for one in found if one.__module__.startswith("tenure.core.")]


MADE = {
    "InvalidInput": lambda: errors.InvalidInput("payload.to", "is blank", code="blank", hint="Fill it in."),
    "TooLarge": lambda: errors.TooLarge("tags", "has 21 entries"),
    "UnknownKind": lambda: errors.UnknownKind("mial"),
    "Conflict": lambda: errors.Conflict("the key is another job's", "0190"),
    "KeyConflict": lambda: errors.KeyConflict("the key is another job's", "0190"),
    "IdConflict": lambda: errors.IdConflict("the id is another job's", "0190"),
    "KeyNameTaken": lambda: errors.KeyNameTaken("deploy"),
    "RedriveConflict": lambda: errors.RedriveConflict("0190"),
    "Forbidden": lambda: errors.Forbidden("tenant", "is outside the scope"),
    "RedrivesForbidden": errors.RedrivesForbidden,
    "TooMany": lambda: errors.TooMany("slow down", 2.5),
    "QueueFull": lambda: errors.QueueFull(
        "full", 2.5, queue="mail", tenant=None, waiting=7, capacity=7, drain_seconds=None
    ),
    "Retry": lambda: outcomes.Retry("mail_down", "no answer", retry_in=5),
    "NotDone": lambda: outcomes.NotDone("mail_down", "no answer", retry_in=5),
    "Throttled": lambda: outcomes.Throttled("mail_429", "slower", retry_after=5, scope="kind"),
    "VerificationFailed": lambda: outcomes.VerificationFailed("no file"),
    "Snooze": lambda: outcomes.Snooze(5, "too early"),
}
"""Those that are made of more than a message."""


@pytest.mark.parametrize(
    "kind", [*heirs(errors.TenureError), *heirs(outcomes.HandlerOutcome)], ids=lambda kind: kind.__name__
)
def test_an_error_comes_out_of_a_process_of_its_own_as_it_was_raised(kind: type[BaseException]) -> None:
    """A pool of processes pickles what a function raises; one that cannot be read again breaks the whole pool."""
    error = MADE.get(kind.__name__, lambda: kind("what is wrong"))()
    error.add_note("seen by the caller")
    for again in (pickle.loads(pickle.dumps(error)), copy.copy(error), copy.deepcopy(error)):
        assert type(again) is kind
        assert (str(again), again.args, vars(again)) == (str(error), error.args, vars(error))
