"""The tables of the memory store that hold no jobs and no history: kinds, the ledger, redrives, schedules, and what
operators say of the flow. A row is put and taken away, and that is noted in the journal."""

from tenure.core.flow.lateness import Objective
from tenure.core.flow.limits import Limit, declared
from tenure.core.flow.pause import Pause, Subject
from tenure.core.flow.place import Place
from tenure.core.flow.relief import Relief
from tenure.core.hints import Hint
from tenure.core.kind import Kind
from tenure.core.ledger.checkpoint import Checkpoint
from tenure.core.ledger.effect import Effect
from tenure.core.redriving.redrive import Frozen, Redrive
from tenure.core.scheduling.schedule import Occurrence, Schedule
from tenure.core.secrecy.credentials import Key as Credential
from tenure.core.switch import Switch
from tenure.stores.memory.journal import Journal
from tenure.stores.reading import AuditEntry, Slowdown


class SmallTables(Journal):
    """Part of `Tables`."""

    def __init__(self) -> None:
        super().__init__()
        self.kinds: dict[str, Kind] = {}
        self.slowdowns: dict[tuple[str, str], Slowdown] = {}
        self.credentials: dict[str, Credential] = {}
        self.audit: list[AuditEntry] = []
        self.effects: dict[tuple[str, str, str], Effect] = {}
        self.checkpoints: dict[tuple[str, str], Checkpoint] = {}
        self.redrives: dict[str, Redrive] = {}
        self.frozen: dict[str, dict[int, Frozen]] = {}
        self.switches: dict[str, Switch] = {}
        self.schedules: dict[tuple[str, str], Schedule] = {}
        self.occurrences: dict[tuple[str, str], Occurrence] = {}
        self.hints: dict[str, Hint] = {}
        self.pauses: dict[tuple[Subject, str], Pause] = {}
        self.weights: dict[str, int] = {}
        self.limits: dict[Place, Limit] = {}
        self.reliefs: dict[str, Relief] = {}
        self.capacities: dict[Place, int] = {}
        self.objectives: dict[str, Objective] = {}

    def put_kind(self, kind: Kind) -> None:
        self._note(self.kinds, kind.name)
        self.kinds[kind.name] = kind

    def end_slowdown(self, place: tuple[str, str]) -> None:
        self._note(self.slowdowns, place)
        del self.slowdowns[place]

    def put_slowdown(self, slowdown: Slowdown) -> None:
        place = (slowdown.tenant, slowdown.kind)
        self._note(self.slowdowns, place)
        self.slowdowns[place] = slowdown

    def put_credential(self, key: Credential) -> None:
        self._note(self.credentials, key.id)
        self.credentials[key.id] = key

    def put_effect(self, effect: Effect) -> None:
        place = (effect.tenant, effect.name, effect.key)
        self._note(self.effects, place)
        self.effects[place] = effect

    def put_checkpoint(self, checkpoint: Checkpoint) -> None:
        place = (checkpoint.job_id, checkpoint.name)
        self._note(self.checkpoints, place)
        self.checkpoints[place] = checkpoint

    def put_redrive(self, redrive: Redrive) -> None:
        self._note(self.redrives, redrive.id)
        self.redrives[redrive.id] = redrive

    def put_frozen(self, row: Frozen) -> None:
        rows = self.frozen.setdefault(row.redrive_id, {})
        self._note(rows, row.place)
        rows[row.place] = row

    def delete_frozen(self, row: Frozen) -> None:
        rows = self.frozen[row.redrive_id]
        self._note(rows, row.place)
        del rows[row.place]

    def delete_redrive(self, redrive_id: str) -> None:
        self._note(self.redrives, redrive_id)
        del self.redrives[redrive_id]

    def put_switch(self, switch: Switch) -> None:
        self._note(self.switches, switch.name)
        self.switches[switch.name] = switch

    def drop_switch(self, name: str) -> None:
        self._note(self.switches, name)
        del self.switches[name]

    def put_schedule(self, schedule: Schedule) -> None:
        place = (schedule.tenant, schedule.name)
        self._note(self.schedules, place)
        self.schedules[place] = schedule

    def drop_schedule(self, place: tuple[str, str]) -> None:
        self._note(self.schedules, place)
        del self.schedules[place]

    def put_occurrence(self, row: Occurrence) -> None:
        place = (row.schedule_id, row.id)
        self._note(self.occurrences, place)
        self.occurrences[place] = row

    def drop_occurrence(self, place: tuple[str, str]) -> None:
        self._note(self.occurrences, place)
        del self.occurrences[place]

    def put_hint(self, hint: Hint) -> None:
        self._note(self.hints, hint.job_id)
        self.hints[hint.job_id] = hint

    def delete_hint(self, job_id: str) -> None:
        self._note(self.hints, job_id)
        del self.hints[job_id]

    def put_weight(self, tenant: str, weight: int) -> None:
        self._note(self.weights, tenant)
        self.weights[tenant] = weight

    def drop_weight(self, tenant: str) -> None:
        self._note(self.weights, tenant)
        del self.weights[tenant]

    def put_relief(self, queue: str, relief: Relief) -> None:
        self._note(self.reliefs, queue)
        self.reliefs[queue] = relief

    def drop_relief(self, queue: str) -> None:
        self._note(self.reliefs, queue)
        del self.reliefs[queue]

    def put_limit(self, limit: Limit) -> None:
        self._note(self.limits, limit.place)
        self.limits[limit.place] = limit

    def declare_limit(self, kind: str, concurrency: int | None) -> None:
        """As `core.flow.limits.declared`."""
        limit = declared(self.limits.get(Place(kind=kind)), kind, concurrency)
        if limit.concurrency is not None or limit.rate is not None:
            self.put_limit(limit)
        elif limit.place in self.limits:
            self.drop_limit(limit.place)

    def drop_limit(self, place: Place) -> None:
        self._note(self.limits, place)
        del self.limits[place]

    def put_capacity(self, place: Place, jobs: int) -> None:
        self._note(self.capacities, place)
        self.capacities[place] = jobs

    def drop_capacity(self, place: Place) -> None:
        self._note(self.capacities, place)
        del self.capacities[place]

    def put_objective(self, queue: str, objective: Objective) -> None:
        self._note(self.objectives, queue)
        self.objectives[queue] = objective

    def drop_objective(self, queue: str) -> None:
        self._note(self.objectives, queue)
        del self.objectives[queue]

    def put_pause(self, pause: Pause) -> None:
        self._note(self.pauses, (pause.subject, pause.name))
        self.pauses[pause.subject, pause.name] = pause

    def drop_pause(self, place: tuple[Subject, str]) -> None:
        self._note(self.pauses, place)
        del self.pauses[place]

    def add_audit(self, line: AuditEntry) -> None:
        self._undo.append(self.audit.pop)
        self.audit.append(line)
