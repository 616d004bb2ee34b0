"""The part of the table of operations (`edge.operations`) that pauses and resumes queues, kinds and tenants."""

from typing import Final

from tenure.core.flow.pause import SUBJECTS
from tenure.core.principal import Action
from tenure.edge import pauses, requests
from tenure.edge.operation import Operation

_VERBS: Final = {
    "pause": "Let no job of a {subject} start until it is resumed.",
    "resume": "Let the jobs of a {subject} start again.",
}

TABLE: Final[tuple[Operation, ...]] = tuple(
    Operation(
        name=f"{verb}_{subject}",
        method="POST",
        path=f"/{subject}s/{{name}}/{verb}",
        action=Action.OPERATE,
        summary=summary.format(subject=subject),
        body=requests.Why,
        answers={200: (pauses.PauseChanged,)},
        refusals=(422,),
    )
    for subject in SUBJECTS
    for verb, summary in _VERBS.items()
)

_MEANINGS: Final = {
    "pause": "It holds from the next claim on, for all workers. What runs goes on, and waiting costs no attempt. It "
    "need not hold jobs yet. One that is paused already stays as it was paused first. It takes a credential of the "
    "whole {subject}.",
    "resume": "Workers that poll see it within a second. It takes a credential of the whole {subject}.",
}

OF_OPERATIONS: Final[dict[str, str]] = {
    f"{verb}_{subject}": words.format(subject=subject) for subject in SUBJECTS for verb, words in _MEANINGS.items()
}
