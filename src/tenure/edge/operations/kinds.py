"""The part of the table of operations (`edge.operations`) about kinds."""

from typing import Final

from tenure.core.principal import Action
from tenure.edge import kinds, requests
from tenure.edge.operation import Operation

TABLE: Final[tuple[Operation, ...]] = (
    Operation(
        name="list_kinds",
        method="GET",
        path="/kinds",
        action=Action.LIST,
        summary="Every kind of the scope.",
        query=requests.PageOfNames,
        answers={200: (kinds.Kinds,)},
        refusals=(422,),
    ),
    Operation(
        name="show_kind",
        method="GET",
        path="/kinds/{name}",
        action=Action.LIST,
        summary="One kind, with its JSON Schema.",
        answers={200: (kinds.KindBody,)},
        refusals=(404,),
    ),
    Operation(
        name="set_kind",
        method="PUT",
        path="/kinds/{name}",
        action=Action.DECLARE_KIND,
        summary="Declare a kind as data, or change it. A worker may do so for the kinds that its credential names.",
        body=kinds.SetKind,
        answers={200: (kinds.KindBody,)},
        refusals=(422,),
    ),
    Operation(
        name="clear_slowdown",
        method="DELETE",
        path="/kinds/{name}/slowdown",
        action=Action.OPERATE,
        summary="Let a kind that was slowed down for a tenant start again.",
        query=kinds.OfTenant,
        answers={200: (kinds.Cleared,)},
        refusals=(422,),
    ),
)
