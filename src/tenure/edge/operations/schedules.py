"""The operations on schedules."""

from typing import Final

from tenure.core.principal import Action
from tenure.edge import schedule_requests, schedules
from tenure.edge.operation import Operation

TABLE: Final[tuple[Operation, ...]] = (
    Operation(
        name="list_schedules",
        method="GET",
        path="/schedules",
        action=Action.LIST,
        summary="Schedules of the scope, by tenant and name.",
        query=schedule_requests.ListSchedules,
        answers={200: (schedules.SchedulePage,)},
        refusals=(422,),
    ),
    Operation(
        name="show_schedule",
        method="GET",
        path="/schedules/{name}",
        action=Action.LIST,
        summary="One schedule.",
        query=schedule_requests.OneSchedule,
        answers={200: (schedules.ScheduleBody,)},
        refusals=(404, 422),
    ),
    Operation(
        name="set_schedule",
        method="PUT",
        path="/schedules/{name}",
        action=Action.OPERATE,
        summary="Make a schedule, or change it; or only look at the next slots of its rule.",
        body=schedule_requests.SetSchedule,
        answers={201: (schedules.ScheduleSet,), 200: (schedules.ScheduleSet, schedules.ScheduleSlots)},
        refusals=(404, 422),
    ),
    Operation(
        name="delete_schedule",
        method="DELETE",
        path="/schedules/{name}",
        action=Action.OPERATE,
        summary="Delete a schedule; its jobs go their way.",
        query=schedule_requests.DeleteSchedule,
        answers={200: (schedules.ScheduleChanged,)},
        refusals=(404, 422),
    ),
    *(
        Operation(
            name=f"{verb}_schedule",
            method="POST",
            path=f"/schedules/{{name}}/{verb}",
            action=Action.OPERATE,
            summary=summary,
            body=schedule_requests.ChangeSchedule,
            answers={200: (schedules.ScheduleChanged,)},
            refusals=(404, 422),
        )
        for verb, summary in (
            ("pause", "Let a schedule make no jobs until it is resumed."),
            ("resume", "Let a schedule make jobs again, from now on."),
        )
    ),
    Operation(
        name="run_schedule",
        method="POST",
        path="/schedules/{name}/run",
        action=Action.OPERATE,
        summary="Enqueue one job of a schedule now, beside those of its slots.",
        body=schedule_requests.RunSchedule,
        answers={201: (schedules.ScheduleRun,), 200: (schedules.ScheduleRun,)},
        refusals=(404, 409, 422),
    ),
    Operation(
        name="backfill_schedule",
        method="POST",
        path="/schedules/{name}/backfill",
        action=Action.OPERATE,
        summary="Enqueue the jobs of slots of the past that have none.",
        body=schedule_requests.BackfillSchedule,
        answers={200: (schedules.ScheduleBackfilled,)},
        refusals=(404, 422),
    ),
    Operation(
        name="preview_schedule",
        method="GET",
        path="/schedules/{name}/preview",
        action=Action.LIST,
        summary="The next slots of a schedule.",
        query=schedule_requests.ListSlots,
        answers={200: (schedules.ScheduleSlots,)},
        refusals=(404, 422),
    ),
    Operation(
        name="list_occurrences",
        method="GET",
        path="/schedules/{name}/occurrences",
        action=Action.LIST,
        summary="What became of the slots of a schedule, newest first.",
        query=schedule_requests.ListOccurrences,
        answers={200: (schedules.OccurrencePage,)},
        refusals=(404, 422),
    ),
)
