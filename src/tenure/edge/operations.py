"""The one table of operations. Routes, OpenAPI, the client and the remote commands are made from it.

An operation is open to everyone only where its action is None. `answers` maps each status to the bodies that it can
have (none: no body). The refusals that every operation can give (400, 401, 403 …) are added by whoever draws them.
"""

from typing import Final

import msgspec

from tenure.core.access import Action
from tenure.edge import answers, effects, jobs, requests


class Operation(msgspec.Struct, frozen=True, kw_only=True):
    """name: of the operation everywhere. path: with `{id}` or `{name}` for its parameters."""

    name: str
    method: str
    path: str
    action: Action | None
    summary: str
    body: type[requests.Body] | None = None
    query: type[requests.Body] | None = None
    answers: dict[int, tuple[type[msgspec.Struct], ...]]
    refusals: tuple[int, ...] = ()

    @property
    def is_about_one_job(self) -> bool:
        return self.path.startswith("/jobs/{id}")


_TOKEN_REFUSALS: Final = (404, 409, 422)

TABLE: Final[tuple[Operation, ...]] = (
    Operation(
        name="enqueue",
        method="POST",
        path="/jobs",
        action=Action.ENQUEUE,
        summary="Record a job, once for its idempotency key.",
        body=requests.Enqueue,
        answers={201: (jobs.EnqueuedBody,), 200: (jobs.EnqueuedBody, answers.MetJob)},
        refusals=(409, 422),
    ),
    Operation(
        name="enqueue_many",
        method="POST",
        path="/jobs/batch",
        action=Action.ENQUEUE,
        summary="Record up to 1,000 jobs; a verdict for each.",
        body=requests.EnqueueMany,
        answers={200: (answers.Batch,)},
        refusals=(422,),
    ),
    Operation(
        name="claim",
        method="POST",
        path="/jobs/claim",
        action=Action.WORK,
        summary="Take a job under a lease, waiting for one if asked to; with `limit` a list.",
        body=requests.Claim,
        answers={200: (jobs.ClaimedBody, answers.ClaimedJobs), 204: ()},
        refusals=(422, 429),
    ),
    Operation(
        name="heartbeats",
        method="POST",
        path="/jobs/heartbeats",
        action=Action.WORK,
        summary="Renew several leases in one call.",
        body=requests.Heartbeats,
        answers={200: (answers.Beats,)},
        refusals=(422,),
    ),
    Operation(
        name="reports",
        method="POST",
        path="/jobs/reports",
        action=Action.WORK,
        summary="Report the ends of several attempts, and claim what is next, in one call.",
        body=requests.Reports,
        answers={200: (answers.ReportsTaken,)},
        refusals=(422,),
    ),
    Operation(
        name="list_jobs",
        method="GET",
        path="/jobs",
        action=Action.LIST,
        summary="Page through jobs, newest first.",
        query=requests.ListJobs,
        answers={200: (answers.JobPage,)},
        refusals=(422,),
    ),
    Operation(
        name="show_job",
        method="GET",
        path="/jobs/{id}",
        action=Action.LIST,
        summary="One job.",
        answers={200: (jobs.JobBody,)},
        refusals=(404,),
    ),
    Operation(
        name="list_attempts",
        method="GET",
        path="/jobs/{id}/attempts",
        action=Action.LIST,
        summary="The attempts of a job that have ended, oldest first.",
        answers={200: (answers.Attempts,)},
        refusals=(404,),
    ),
    Operation(
        name="heartbeat",
        method="POST",
        path="/jobs/{id}/heartbeat",
        action=Action.WORK,
        summary="Renew a lease, and hear whether cancellation was asked.",
        body=requests.Heartbeat,
        answers={200: (answers.Beat,)},
        refusals=_TOKEN_REFUSALS,
    ),
    Operation(
        name="complete",
        method="POST",
        path="/jobs/{id}/complete",
        action=Action.WORK,
        summary="The work is done.",
        body=requests.Complete,
        answers={200: (jobs.ReportedBody,)},
        refusals=_TOKEN_REFUSALS,
    ),
    Operation(
        name="fail",
        method="POST",
        path="/jobs/{id}/fail",
        action=Action.WORK,
        summary="The attempt failed; its class decides what comes next.",
        body=requests.Fail,
        answers={200: (jobs.ReportedBody,)},
        refusals=_TOKEN_REFUSALS,
    ),
    Operation(
        name="release",
        method="POST",
        path="/jobs/{id}/release",
        action=Action.WORK,
        summary="Give the job back unharmed.",
        body=requests.Release,
        answers={200: (jobs.ReportedBody,)},
        refusals=_TOKEN_REFUSALS,
    ),
    Operation(
        name="snooze",
        method="POST",
        path="/jobs/{id}/snooze",
        action=Action.WORK,
        summary="Nothing happened and it is too early: run again after a delay.",
        body=requests.Snooze,
        answers={200: (jobs.ReportedBody,)},
        refusals=_TOKEN_REFUSALS,
    ),
    Operation(
        name="list_effects",
        method="GET",
        path="/jobs/{id}/effects",
        action=Action.LIST,
        summary="What a job did outside, in the order of name and key.",
        answers={200: (effects.Effects,)},
        refusals=(404,),
    ),
    Operation(
        name="begin_effect",
        method="POST",
        path="/jobs/{id}/effects/{name}/begin",
        action=Action.WORK,
        summary="Put a call outside on record before it is made, or hear why it is not to be made.",
        body=effects.BeginEffect,
        answers={200: (effects.EffectBegun,)},
        refusals=_TOKEN_REFUSALS,
    ),
    Operation(
        name="finish_effect",
        method="POST",
        path="/jobs/{id}/effects/{name}/finish",
        action=Action.WORK,
        summary="Say how a call outside came back.",
        body=effects.FinishEffect,
        answers={200: (effects.EffectBody,)},
        refusals=_TOKEN_REFUSALS,
    ),
    Operation(
        name="settle_effect",
        method="POST",
        path="/jobs/{id}/effects/{name}/settle",
        action=Action.OPERATE,
        summary="Say whether an effect happened of which nobody knows.",
        body=effects.SettleEffect,
        answers={200: (effects.EffectBody,)},
        refusals=(404, 409, 422),
    ),
    Operation(
        name="list_checkpoints",
        method="GET",
        path="/jobs/{id}/checkpoints",
        action=Action.LIST,
        summary="What the attempts of a job hand on to later ones, by name.",
        answers={200: (effects.Checkpoints,)},
        refusals=(404,),
    ),
    Operation(
        name="save_checkpoint",
        method="PUT",
        path="/jobs/{id}/checkpoints/{name}",
        action=Action.WORK,
        summary="Hand a named value on to later attempts.",
        body=effects.SaveCheckpoint,
        answers={200: (effects.CheckpointBody,)},
        refusals=_TOKEN_REFUSALS,
    ),
    Operation(
        name="cancel",
        method="POST",
        path="/jobs/{id}/cancel",
        action=Action.CANCEL,
        summary="End waiting work at once, ask running work to stop.",
        body=requests.Why,
        answers={200: (answers.Happened,)},
        refusals=(404, 422),
    ),
    Operation(
        name="redrive",
        method="POST",
        path="/jobs/{id}/redrive",
        action=Action.REDRIVE,
        summary="Run a failed job again: the same job, with fresh budgets.",
        body=requests.Redrive,
        answers={200: (answers.Happened,)},
        refusals=(404, 409, 422),
    ),
    Operation(
        name="list_kinds",
        method="GET",
        path="/kinds",
        action=Action.LIST,
        summary="Every kind of the scope.",
        answers={200: (answers.Kinds,)},
    ),
    Operation(
        name="show_kind",
        method="GET",
        path="/kinds/{name}",
        action=Action.LIST,
        summary="One kind, with its JSON Schema.",
        answers={200: (answers.KindBody,)},
        refusals=(404,),
    ),
    Operation(
        name="set_kind",
        method="PUT",
        path="/kinds/{name}",
        action=Action.DECLARE_KIND,
        summary="Declare a kind as data, or change it. A worker may do so for the kinds that its credential names.",
        body=requests.SetKind,
        answers={200: (answers.KindBody,)},
        refusals=(422,),
    ),
    Operation(
        name="clear_slowdown",
        method="DELETE",
        path="/kinds/{name}/slowdown",
        action=Action.OPERATE,
        summary="Let a kind that was slowed down for a tenant start again.",
        query=requests.OfTenant,
        answers={200: (answers.Cleared,)},
        refusals=(422,),
    ),
    Operation(
        name="list_queues",
        method="GET",
        path="/queues",
        action=Action.LIST,
        summary="Queues that hold jobs, with counts by state.",
        answers={200: (answers.Queues,)},
    ),
    Operation(
        name="list_tenants",
        method="GET",
        path="/tenants",
        action=Action.LIST,
        summary="Tenants that have jobs, with counts by state.",
        query=requests.PageOfNames,
        answers={200: (answers.Tenants,)},
        refusals=(422,),
    ),
    Operation(
        name="list_workers",
        method="GET",
        path="/workers",
        action=Action.LIST,
        summary="Workers that hold leases now.",
        answers={200: (answers.Workers,)},
    ),
    Operation(
        name="list_keys",
        method="GET",
        path="/keys",
        action=Action.MANAGE_KEYS,
        summary="Every key, newest first, without its secret.",
        answers={200: (answers.Keys,)},
    ),
    Operation(
        name="create_key",
        method="POST",
        path="/keys",
        action=Action.MANAGE_KEYS,
        summary="Make a key; it is shown this once.",
        body=requests.CreateKey,
        answers={201: (answers.CreatedKey,)},
        refusals=(409, 422),
    ),
    Operation(
        name="revoke_key",
        method="DELETE",
        path="/keys/{id}",
        action=Action.MANAGE_KEYS,
        summary="Let a key in no more.",
        answers={200: (answers.KeyBody,)},
        refusals=(404,),
    ),
    Operation(
        name="list_audit",
        method="GET",
        path="/audit",
        action=Action.READ_AUDIT,
        summary="What operators did, newest first.",
        query=requests.Page,
        answers={200: (answers.Audit,)},
        refusals=(422,),
    ),
    Operation(
        name="healthz",
        method="GET",
        path="/healthz",
        action=None,
        summary="Whether the process answers.",
        answers={200: (answers.Alive,)},
    ),
    Operation(
        name="readyz",
        method="GET",
        path="/readyz",
        action=None,
        summary="Whether it can do its work: the database answers, the loops run.",
        answers={200: (answers.Health,), 503: (answers.Health,)},
    ),
)

BY_NAME: Final[dict[str, Operation]] = {operation.name: operation for operation in TABLE}
