"""The part of the table of operations (`edge.operations`) about cancels and redrives, of one job and of many: dead
letters by cause and supersede are among them."""

from typing import Final

from tenure.core.principal import Action
from tenure.edge import cancels, redrive_requests, redrives, requests
from tenure.edge.operation import Operation

TABLE: Final[tuple[Operation, ...]] = (
    Operation(
        name="cancel",
        method="POST",
        path="/jobs/{id}/cancel",
        action=Action.CANCEL,
        summary="End waiting work at once, ask running work to stop; and hear what it came to.",
        body=requests.Why,
        answers={200: (cancels.Cancelled,)},
        refusals=(404, 422),
    ),
    Operation(
        name="redrive",
        method="POST",
        path="/jobs/{id}/redrive",
        action=Action.REDRIVE,
        summary="Run a failed job again: the same job, with fresh budgets.",
        body=cancels.Redrive,
        answers={200: (cancels.Happened,)},
        refusals=(404, 409, 422),
    ),
    Operation(
        name="cancel_many",
        method="POST",
        path="/jobs/cancel",
        action=Action.OPERATE,
        summary="Cancel what waits and ask what runs to stop, by a filter, a batch at a call; or only look.",
        body=redrive_requests.CancelMany,
        answers={200: (redrives.CancelledMany,)},
        refusals=(422,),
    ),
    Operation(
        name="supersede",
        method="POST",
        path="/jobs/{id}/supersede",
        action=Action.CANCEL,
        summary="End waiting work in favour of a newer job.",
        body=redrive_requests.Supersede,
        answers={200: (cancels.Happened,)},
        refusals=(404, 409, 422),
    ),
    Operation(
        name="list_failures",
        method="GET",
        path="/failures",
        action=Action.LIST,
        summary="Failed jobs by cause: kind, code and handler version, with first and last error and the remedy.",
        query=redrive_requests.ListFailures,
        answers={200: (redrives.FailuresBody,)},
        refusals=(422,),
    ),
    Operation(
        name="list_redrives",
        method="GET",
        path="/redrives",
        action=Action.LIST,
        summary="Redrives of selections that lie in the scope, newest first.",
        query=redrive_requests.ListRedrives,
        answers={200: (redrives.RedrivePage,)},
        refusals=(422,),
    ),
    Operation(
        name="start_redrive",
        method="POST",
        path="/redrives",
        action=Action.REDRIVE,
        summary="Run a selection of failed jobs again, some of them first, and stop when they fail again; or only "
        "look.",
        body=redrive_requests.StartRedrive,
        answers={201: (redrives.RedriveBody,), 200: (redrives.RedrivePreviewBody, redrives.RedriveBody)},
        refusals=(409, 422),
    ),
    Operation(
        name="show_redrive",
        method="GET",
        path="/redrives/{id}",
        action=Action.LIST,
        summary="One redrive, with its counts.",
        answers={200: (redrives.RedriveBody,)},
        refusals=(404,),
    ),
    Operation(
        name="list_redrive_jobs",
        method="GET",
        path="/redrives/{id}/jobs",
        action=Action.LIST,
        summary="The jobs of a redrive, each with how it went.",
        query=redrive_requests.ListRedriveJobs,
        answers={200: (redrives.FrozenPage,)},
        refusals=(404, 422),
    ),
    *(
        Operation(
            name=f"{verb}_redrive",
            method="POST",
            path=f"/redrives/{{id}}/{verb}",
            action=Action.REDRIVE,
            summary=summary,
            body=requests.Why,
            answers={200: (redrives.RedriveChanged,)},
            refusals=(404, 422),
        )
        for verb, summary in (
            ("pause", "Let a redrive send nothing more until it is resumed."),
            ("resume", "Let a redrive that was paused, or that its rule stopped, go on."),
            ("cancel", "End a redrive: what waits for its turn is left."),
        )
    ),
    Operation(
        name="forbid_redrives",
        method="POST",
        path="/redrives/forbid",
        action=Action.OPERATE,
        summary="Forbid redrives of selections in the whole store.",
        body=requests.Why,
        answers={200: (redrives.Forbidding,)},
        refusals=(422,),
    ),
    Operation(
        name="allow_redrives",
        method="POST",
        path="/redrives/allow",
        action=Action.OPERATE,
        summary="Allow redrives of selections again.",
        body=requests.Why,
        answers={200: (redrives.Forbidding,)},
        refusals=(422,),
    ),
)
