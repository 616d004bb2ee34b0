"""The part of the table of operations (`edge.operations`) about keys, and about what was done with them."""

from typing import Final

from tenure.core.principal import Action
from tenure.edge import audit, keys, requests
from tenure.edge.operation import Operation

TABLE: Final[tuple[Operation, ...]] = (
    Operation(
        name="list_keys",
        method="GET",
        path="/keys",
        action=Action.MANAGE_KEYS,
        summary="Every key, newest first, without its secret.",
        query=requests.PageOfIds,
        answers={200: (keys.Keys,)},
        refusals=(422,),
    ),
    Operation(
        name="create_key",
        method="POST",
        path="/keys",
        action=Action.MANAGE_KEYS,
        summary="Make a key; it is shown this once.",
        body=keys.CreateKey,
        answers={201: (keys.CreatedKey,)},
        refusals=(409, 422),
    ),
    Operation(
        name="show_key",
        method="GET",
        path="/keys/{id}",
        action=Action.MANAGE_KEYS,
        summary="One key, without its secret.",
        answers={200: (keys.KeyBody,)},
        refusals=(404,),
    ),
    Operation(
        name="revoke_key",
        method="DELETE",
        path="/keys/{id}",
        action=Action.MANAGE_KEYS,
        summary="Let a key in no more.",
        query=requests.WhyInQuery,
        answers={200: (keys.KeyBody,)},
        refusals=(404, 422),
    ),
    Operation(
        name="list_audit",
        method="GET",
        path="/audit",
        action=Action.READ_AUDIT,
        summary="What operators did, newest first.",
        query=requests.Page,
        answers={200: (audit.Audit,)},
        refusals=(422,),
    ),
)
