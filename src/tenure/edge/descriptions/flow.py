"""What the members of queues, tenants and resources mean: pauses, limits, capacities, lateness, and what keeps a job
waiting."""

from typing import Final

from tenure.edge.descriptions.said import AT, Said

COMMON: Final[dict[str, Said]] = {
    "aging": Said("Seconds of waiting that are worth a step of priority, as from low to medium; null: none.", 300.0),
    "burst": Said("At most so many starts at once after a silence.", 20),
    "capacity": Said("So many jobs may wait; null sets no bound.", 1000),
    "cleared": Said("Whether the kind was slowed down.", True),
    "concurrency": Said("So many slots may be taken at once; null sets no limit.", 5),
    "drain_seconds": Said("Seconds until what waits is worked off, by what ran lately; null: unknown.", 42.0),
    "holders": Said("Ids of some jobs that hold the limit, as far as they lie in the scope.", []),
    "is_met": Said("Whether the objective is kept; null where that cannot be told.", True),
    "limits": Said("By queue, type, tenant and resource."),
    "median": Said("How late half of them started at most.", 0.3),
    "obstacles": Said("What keeps the job from starting."),
    "oldest": Said("How long the first job that no pause holds has waited; null where there is none.", 12.0),
    "oldest_run_at": Said("Since when the job that waits longest could have run; null where none is ready.", AT),
    "pause": Said("What keeps its jobs from starting; null where they may start."),
    "percent": Said("Of a hundred starts.", 10),
    "rate": Said("How often one may start; null sets no limit."),
    "reserve": Said("Of the starts for low priorities; null: none."),
    "resource": Said("Of a resource that kinds share; null for every one.", "smtp"),
    "resources": Said("By name."),
    "seconds": Said("In so many seconds.", 1.0),
    "share": Said("Of the jobs, up to 1.", 0.95),
    "slowdowns": Said("For which tenants no job of the kind starts, and until when."),
    "span": Said("Seconds back from now.", 600.0),
    "starts": Said("So many starts.", 10),
    "starved": Said("What waits while others of the queue start."),
    "until": Said("No job starts before this instant.", AT),
    "waited": Said("Seconds, of the first one.", 420.0),
    "waiting": Said("About how many jobs wait there.", 1000),
    "weight": Said("Slots of a tenant in each round of turns; null where there are none.", 1),
    "within": Said("Seconds after which a job is later than it may; null sets no objective.", 30.0),
    "words": Said("For people.", "its queue mail is paused"),
    "worst": Said("How late the latest of them started.", 9.0),
}

OWN: Final[dict[str, dict[str, Said]]] = {
    "AllLateness": {"queues": Said("By name.")},
    "Capacities": {"capacities": Said("By queue and tenant.")},
    "CapacityBody": {"waiting": Said("Jobs that wait there, counted up to the capacity.", 3)},
    "CapacityChanged": {"capacity": Said("As it stands now; null where none does.")},
    "OverviewBody": {
        "name": Said("Of the queue or tenant.", "default"),
        "jobs": Said("How many, by state.", {"ready": 3}),
    },
    "LatenessBody": {
        "most": Said("How late 95 in 100 of them started at most.", 4.2),
        "objective": Said("How late they may start; null where nobody has said.", {"within": 30.0, "share": 0.95}),
        "started": Said("Attempts that the figures are of.", 120),
        "waiting": Said("Jobs that wait, counted up to 100,000.", 3),
        "within": Said("The share that kept to the objective; null without one.", 0.97),
    },
    "LimitBody": {"running": Said("Slots of the jobs under it that run now.", 3)},
    "LimitChanged": {"limit": Said("As it stands now; null where none does.")},
    "ObjectiveChanged": {"objective": Said("As it stands now; null where none does.")},
    "ObstacleBody": {
        "what": Said("The queue, kind, tenant, resource or limit that it is about.", "queue mail"),
        "cause": Said("paused, limit_full, slowed_down, not_declared, no_worker, needs_slots or blocked.", "paused"),
        "since": Said("Since when; null where that is not known.", AT),
        "until": Said("Until when; null where that is not known.", AT),
        "who": Said("Who paused it, for those who read the audit.", "ada"),
        "why": Said("Why it is paused, for those who read the audit.", "the relay is down"),
    },
    "OfTenant": {"tenant": Said("Whose jobs may start again.", "default")},
    "PauseBody": {"at": Said("Since when.", AT)},
    "PauseChanged": {"name": Said("Of the queue, type, tenant or resource.", "default")},
    "Queues": {"queues": Said("The queues.")},
    "ResourceBody": {
        "name": Said("Of the resource.", "smtp"),
        "kinds": Said("That use it.", ["send-invoice"]),
        "limit": Said("Of all of them together; null where there is none."),
    },
    "SlowdownBody": {"code": Said("The code of the failure that slowed it down.", "rate_limited")},
    "Tenants": {"tenants": Said("The tenants.")},
    "WeightChanged": {"name": Said("Of the tenant.", "acme")},
}
