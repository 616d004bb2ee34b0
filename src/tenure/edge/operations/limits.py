"""The part of the table of operations (`edge.operations`) about limits and weights."""

from typing import Final

from tenure.core.principal import Action
from tenure.edge import limits, requests, resources
from tenure.edge.operation import Operation

TABLE: Final[tuple[Operation, ...]] = (
    Operation(
        name="set_tenant",
        method="PUT",
        path="/tenants/{name}",
        action=Action.OPERATE,
        summary="Give a tenant a weight.",
        body=limits.SetWeight,
        answers={200: (limits.WeightChanged,)},
        refusals=(422,),
    ),
    Operation(
        name="list_resources",
        method="GET",
        path="/resources",
        action=Action.LIST,
        summary="What several types share, with its limit and its pause.",
        query=requests.PageOfNames,
        answers={200: (resources.Resources,)},
        refusals=(422,),
    ),
    Operation(
        name="list_limits",
        method="GET",
        path="/limits",
        action=Action.LIST,
        summary="Limits of concurrency and rate, and what runs under them.",
        query=requests.Page,
        answers={200: (limits.Limits,)},
        refusals=(422,),
    ),
    Operation(
        name="set_limit",
        method="PUT",
        path="/limits",
        action=Action.OPERATE,
        summary="Limit how many jobs run at once, or how often one starts; or take a limit away.",
        body=limits.SetLimit,
        answers={200: (limits.LimitChanged,)},
        refusals=(422,),
    ),
)

OF_OPERATIONS: Final[dict[str, str]] = {
    "set_tenant": "In each round of turns the tenant gets so many slots where others get one. It holds from the next "
    "claim on, and takes a credential of the whole tenant.",
    "list_resources": "Every one that a type uses, or that has a limit or a pause; none for a credential that has not "
    "the whole store.",
    "list_limits": "Those of what the credential has whole.",
    "set_limit": "Of the whole store, a queue, a type, a tenant, a type of one tenant, or a resource; over all "
    "workers, from the next claim on. What runs already goes on. It takes a credential of all that it limits.",
}
