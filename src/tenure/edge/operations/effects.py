"""The part of the table of operations (`edge.operations`) about effects and checkpoints."""

from typing import Final

from tenure.core.principal import Action
from tenure.edge import effects, requests
from tenure.edge.operation import TOKEN_REFUSALS, Operation

TABLE: Final[tuple[Operation, ...]] = (
    Operation(
        name="list_effects",
        method="GET",
        path="/jobs/{id}/effects",
        action=Action.LIST,
        summary="What a job did outside, in the order of name and key.",
        query=requests.PageInOrder,
        answers={200: (effects.Effects,)},
        refusals=(404, 422),
    ),
    Operation(
        name="begin_effect",
        method="POST",
        path="/jobs/{id}/effects/{name}/begin",
        action=Action.WORK,
        summary="Put a call outside on record before it is made, or hear why it is not to be made.",
        body=effects.BeginEffect,
        answers={200: (effects.EffectBegun,)},
        refusals=TOKEN_REFUSALS,
    ),
    Operation(
        name="finish_effect",
        method="POST",
        path="/jobs/{id}/effects/{name}/finish",
        action=Action.WORK,
        summary="Say how a call outside came back.",
        body=effects.FinishEffect,
        answers={200: (effects.EffectBody,)},
        refusals=TOKEN_REFUSALS,
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
        query=requests.PageOfNames,
        answers={200: (effects.Checkpoints,)},
        refusals=(404, 422),
    ),
    Operation(
        name="save_checkpoint",
        method="PUT",
        path="/jobs/{id}/checkpoints/{name}",
        action=Action.WORK,
        summary="Hand a named value on to later attempts.",
        body=effects.SaveCheckpoint,
        answers={200: (effects.CheckpointBody,)},
        refusals=TOKEN_REFUSALS,
    ),
)
