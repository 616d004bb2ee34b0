"""What an operator asks of an application about its flow of jobs: pauses, weights, limits, reliefs, capacities."""

from collections.abc import Callable, Collection
from typing import Any, Final, Unpack

from tenure.app.databases.asking_store import AskingStore
from tenure.app.operators.pausing import (
    Bounding,
    Limiting,
    Pausable,
    bound_of,
    bounded_place,
    limit_of,
    page_said,
    relief_of,
    subject_of,
)
from tenure.app.operators.redrive_handle import WHO
from tenure.core import fields
from tenure.core.flow.capacity import Capacity
from tenure.core.flow.lateness import USUAL_SHARE, Lateness, objective
from tenure.core.flow.limits import LimitUse
from tenure.core.flow.pause import Pause
from tenure.core.flow.place import EVERY_QUEUE
from tenure.core.flow.relief import Relief
from tenure.core.job_filter import EVERY_JOB, JobFilter, names
from tenure.operations.lateness import lateness
from tenure.operations.list_resources import Resource, list_resources
from tenure.operations.overviews import Overview, everything, overview, overviews
from tenure.operations.pause import PauseAnswer, pause, resume
from tenure.operations.set_capacity import set_capacity
from tenure.operations.set_limit import set_limit
from tenure.operations.set_objective import set_objective
from tenure.operations.set_relief import set_relief
from tenure.operations.set_weight import set_weight
from tenure.stores.protocol import Verbs
from tenure.stores.script import Script

PAGE: Final = 1000
"""Of lists of queues and tenants."""


class Flow(AskingStore):
    """Part of `Tenure`. What is set holds for all workers, from the next claim on. Every method raises InvalidInput for
    an argument that cannot be, and StoreError."""

    def pause(self, why: str = "", **what: Unpack[Pausable]) -> bool:
        """No job of a `queue=`, a `kind=`, a `tenant=` or of kinds that use a `resource=` starts until `resume`; what
        runs goes on. Whether that was not so before."""
        return self.ask(lambda verbs: pause(verbs, *subject_of(what), who=WHO, why=fields.words("why", why))).changed

    async def apause(self, why: str = "", **what: Unpack[Pausable]) -> bool:
        """The async twin of `pause`."""
        return (
            await self.aask(lambda verbs: pause(verbs, *subject_of(what), who=WHO, why=fields.words("why", why)))
        ).changed

    def resume(self, why: str = "", **what: Unpack[Pausable]) -> bool:
        """Lets a `queue=`, a `kind=`, a `tenant=` or a `resource=` go on. Whether it was paused."""
        script, frees = _resuming(what, why)
        return self.ask(script, frees).changed

    async def aresume(self, why: str = "", **what: Unpack[Pausable]) -> bool:
        """The async twin of `resume`."""
        script, frees = _resuming(what, why)
        return (await self.aask(script, frees)).changed

    def pauses(self) -> list[Pause]:
        """Everything that is paused, with who, when and why."""
        return self.ask(lambda verbs: verbs.pauses())

    async def apauses(self) -> list[Pause]:
        """The async twin of `pauses`."""
        return await self.aask(lambda verbs: verbs.pauses())

    def show_queue(self, name: str) -> Overview:
        """A queue's jobs by state, its pause, and what low priorities get in it, whether it holds jobs or not."""
        return self.ask(lambda verbs: overview(verbs, "queue", name, JobFilter(queues=(name,)), everything))

    async def ashow_queue(self, name: str) -> Overview:
        """The async twin of `show_queue`."""
        return await self.aask(lambda verbs: overview(verbs, "queue", name, JobFilter(queues=(name,)), everything))

    def show_tenant(self, name: str) -> Overview:
        """A tenant's jobs by state, its pause and its weight, whether it has jobs or not."""
        return self.ask(lambda verbs: overview(verbs, "tenant", name, JobFilter(tenants=(name,)), everything))

    async def ashow_tenant(self, name: str) -> Overview:
        """The async twin of `show_tenant`."""
        return await self.aask(lambda verbs: overview(verbs, "tenant", name, JobFilter(tenants=(name,)), everything))

    def list_queues(self, after: str | None = None, limit: int = PAGE) -> list[Overview]:
        """Up to so many queues that hold jobs, or of which something is said, by name, past `after`. It counts every
        job."""
        return self.ask(lambda verbs: overviews(verbs, "queue", EVERY_JOB, *page_said(after, limit), everything))

    async def alist_queues(self, after: str | None = None, limit: int = PAGE) -> list[Overview]:
        """The async twin of `list_queues`."""
        return await self.aask(lambda verbs: overviews(verbs, "queue", EVERY_JOB, *page_said(after, limit), everything))

    def list_tenants(self, after: str | None = None, limit: int = PAGE) -> list[Overview]:
        """As `list_queues`, of tenants."""
        return self.ask(lambda verbs: overviews(verbs, "tenant", EVERY_JOB, *page_said(after, limit), everything))

    async def alist_tenants(self, after: str | None = None, limit: int = PAGE) -> list[Overview]:
        """The async twin of `list_tenants`."""
        return await self.aask(
            lambda verbs: overviews(verbs, "tenant", EVERY_JOB, *page_said(after, limit), everything)
        )

    def set_weight(self, tenant: str, weight: int, why: str = "") -> bool:
        """A tenant gets so many slots in each round of turns, where others get one. Whether it had another weight."""
        return self.ask(lambda verbs: set_weight(verbs, tenant, weight, who=WHO, why=fields.words("why", why)))

    async def aset_weight(self, tenant: str, weight: int, why: str = "") -> bool:
        """The async twin of `set_weight`."""
        return await self.aask(lambda verbs: set_weight(verbs, tenant, weight, who=WHO, why=fields.words("why", why)))

    def set_relief(self, queue: str, *, aging: float | None = None, reserve: str | None = None, why: str = "") -> bool:
        """Low priorities of a queue get on beside urgent ones: by `aging=`, seconds of waiting that are worth a step of
        priority, by a `reserve=` of the starts (`10%`, `10%:medium` for all up to medium), or both; by neither,
        priorities are strict again. Whether it was otherwise before."""
        said = relief_of(aging, reserve)
        return self.ask(lambda verbs: set_relief(verbs, queue, said, who=WHO, why=fields.words("why", why)))

    async def aset_relief(
        self, queue: str, *, aging: float | None = None, reserve: str | None = None, why: str = ""
    ) -> bool:
        """The async twin of `set_relief`."""
        said = relief_of(aging, reserve)
        return await self.aask(lambda verbs: set_relief(verbs, queue, said, who=WHO, why=fields.words("why", why)))

    def reliefs(self) -> dict[str, Relief]:
        """Of the queues that have one."""
        return self.ask(lambda verbs: verbs.reliefs())

    async def areliefs(self) -> dict[str, Relief]:
        """The async twin of `reliefs`."""
        return await self.aask(lambda verbs: verbs.reliefs())

    def set_limit(self, *, why: str = "", **said: Unpack[Limiting]) -> bool:
        """Limits a `queue=`, a `kind=`, a `tenant=`, a kind of one tenant, a `resource=`, or the whole store to
        `concurrency=` at once and a `rate=` of starts (`10/s`, `100/min`); without both the limit is taken away.
        Whether it was otherwise before."""
        place, concurrency, rate = limit_of(said)
        return self.ask(lambda verbs: set_limit(verbs, place, concurrency, rate, who=WHO, why=fields.words("why", why)))

    async def aset_limit(self, *, why: str = "", **said: Unpack[Limiting]) -> bool:
        """The async twin of `set_limit`."""
        place, concurrency, rate = limit_of(said)
        return await self.aask(
            lambda verbs: set_limit(verbs, place, concurrency, rate, who=WHO, why=fields.words("why", why))
        )

    def resources(self) -> list[Resource]:
        """Every resource that a kind uses or that has a limit or a pause."""
        return self.ask(lambda verbs: list_resources(verbs))

    async def aresources(self) -> list[Resource]:
        """The async twin of `resources`."""
        return await self.aask(lambda verbs: list_resources(verbs))

    def limits(self) -> list[LimitUse]:
        """Every limit, with how many jobs run under it."""
        return self.ask(lambda verbs: verbs.limits())

    async def alimits(self) -> list[LimitUse]:
        """The async twin of `limits`."""
        return await self.aask(lambda verbs: verbs.limits())

    def set_capacity(self, jobs: int | None, why: str = "", **what: Unpack[Bounding]) -> bool:
        """Lets so many jobs wait in a `queue=`, of a `tenant=`, or in a queue of one tenant; None: as many as come. It
        holds for all producers within a second. Whether it was otherwise before."""
        place = bounded_place(what)
        changed = self.ask(
            lambda verbs: set_capacity(verbs, place, bound_of(jobs), who=WHO, why=fields.words("why", why))
        )
        self.database.loads.forget()
        return changed

    async def aset_capacity(self, jobs: int | None, why: str = "", **what: Unpack[Bounding]) -> bool:
        """The async twin of `set_capacity`."""
        place = bounded_place(what)
        changed = await self.aask(
            lambda verbs: set_capacity(verbs, place, bound_of(jobs), who=WHO, why=fields.words("why", why))
        )
        self.database.loads.forget()
        return changed

    def capacities(self) -> list[Capacity]:
        """Every capacity, by queue and tenant."""
        return self.ask(lambda verbs: verbs.capacities())

    async def acapacities(self) -> list[Capacity]:
        """The async twin of `capacities`."""
        return await self.aask(lambda verbs: verbs.capacities())

    def set_objective(self, queue: str, within: Any, share: float = USUAL_SHARE, why: str = "") -> bool:
        """So large a share of the jobs of a queue is to start within so many seconds (or a timedelta) of when it was
        due; None: nothing is said of it. It is told, and changes nothing about who starts. Whether it was otherwise
        before."""
        said = None if within is None else objective(within, share)
        return self.ask(lambda verbs: set_objective(verbs, queue, said, who=WHO, why=fields.words("why", why)))

    async def aset_objective(self, queue: str, within: Any, share: float = USUAL_SHARE, why: str = "") -> bool:
        """The async twin of `set_objective`."""
        said = None if within is None else objective(within, share)
        return await self.aask(lambda verbs: set_objective(verbs, queue, said, who=WHO, why=fields.words("why", why)))

    def lateness(self, queues: Collection[str] | None = None) -> list[Lateness]:
        """How late the jobs of each queue start, how long its backlog takes, and what starves. queues: only these."""
        return self.ask(lambda verbs: lateness(verbs, names("queues", queues)))

    async def alateness(self, queues: Collection[str] | None = None) -> list[Lateness]:
        """The async twin of `lateness`."""
        return await self.aask(lambda verbs: lateness(verbs, names("queues", queues)))


def _resuming(what: Pausable, why: str) -> tuple[Callable[[Verbs], Script[PauseAnswer]], Callable[[object], set[str]]]:
    """The script, which checks the name, and then the queue in which there may be work again."""
    (subject, name), words = subject_of(what), fields.words("why", why)
    return (
        lambda verbs: resume(verbs, subject, name, who=WHO, why=words),
        lambda _answer: {name if subject == "queue" else EVERY_QUEUE},
    )
