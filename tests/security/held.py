"""A real, running job whose id and token go into requests, so that what is sent meets more than «there is no such
job»."""

import copy
import itertools
from typing import Any

import msgspec

from tenure.core.job_filter import EVERY_JOB
from tenure.core.redriving import redrive_start
from tenure.core.redriving.redrive import Guard, RedriveState
from tenure.core.states import State
from tenure.edge.operation import Operation
from tests.conformance.asking import job_id
from tests.security.gate import NOBODY, Gate
from tests.security.test_v01_authentication import BODIES

QUEUE, NEWER = "held", "newer"


class Held:
    """key: of an admin, who runs the job. The job has an effect and a checkpoint named `mail`."""

    def __init__(self, gate: Gate) -> None:
        self.gate = gate
        self.key = gate.key("admin", max_priority="critical")
        self._names = itertools.count()
        self._run()

    def path(self, operation: Operation, **said: str) -> dict[str, str]:
        """The parameters of its path: the job's id, `mail` for a name, unless said."""
        if operation.path.startswith("/jobs/{id}"):
            usual = {"id": self.running(), "name": "mail"}
        else:
            if operation.path.startswith("/schedules/{name}/"):
                self._schedule()
            usual = {"id": self._redrive() if operation.path.startswith("/redrives/{id}") else NOBODY, "name": "mail"}
        return {name: said.get(name, value) for name, value in usual.items() if f"{{{name}}}" in operation.path}

    def body(self, operation: Operation) -> dict[str, Any]:
        """A request that has nothing wrong in it, with the job's id and token."""
        self.running()
        body: dict[str, Any] = copy.deepcopy(BODIES.get(operation.name, {}))
        for part in (body, *body.get("beats", ()), *body.get("reports", ())):
            if "lease_token" in part:
                part["lease_token"] = self.token
            if "id" in part:
                part["id"] = self.id
        if "newer" in body:
            body["newer"] = self._newer()
        if "role" in body:
            body["name"] = f"made-{next(self._names)}"
        return body

    def _redrive(self) -> str:
        """The id of a fresh redrive of nothing, which is paused."""
        redrive_id, now = job_id(), self.gate.clock()
        row = redrive_start.begun(redrive_id, [], EVERY_JOB, Guard(), who="test", why="", now=now)
        paused = msgspec.structs.replace(row, state=RedriveState.PAUSED)
        assert self.gate.store.run(self.gate.store.verbs.add_redrive(paused))
        return redrive_id

    def _schedule(self) -> None:
        """`mail`, whose jobs are none that runs."""
        said = {"type": "mail", "cron": "0 3 * * *", "queue": NEWER}
        assert self.gate.call(self.key, "set_schedule", said, name="mail").status_code in (200, 201)

    def _newer(self) -> str:
        """The id of a job of the same tenant and kind that came after the one that runs."""
        made = self.gate.call(self.key, "enqueue", {"type": "mail", "queue": NEWER})
        return str(made.json()["id"])

    def running(self) -> str:
        """The id of the job; of a fresh one where a call has ended the last."""
        row = self.gate.store.run(self.gate.store.verbs.read([self.id]))[self.id]
        if row.state is not State.RUNNING or row.cancel_requested_at is not None:
            self._run()
        return self.id

    def is_untouched(self) -> bool:
        """Whether the job still runs, first and only, and nothing was made beside it."""
        jobs = self.gate.call(self.key, "list_jobs").json()["jobs"]
        [job] = [job for job in jobs if job["queue"] != NEWER]
        kinds = [one["name"] for one in self.gate.call(self.key, "list_kinds").json()["kinds"]]
        return (job["id"], job["state"], job["progress"], kinds) == (self.id, "running", None, ["mail", "sum"])

    def _run(self) -> None:
        gate, key = self.gate, self.key
        assert gate.call(key, "enqueue", {"type": "mail", "queue": QUEUE}).status_code == 201
        gate.store.run(gate.store.verbs.clear_slowdown("default", "mail"))  # what the last job made of its kind
        job = gate.call(key, "claim", {"types": ["mail"], "queues": [QUEUE]}).json()
        self.id, self.token = job["id"], job["lease_token"]
        begun = {"lease_token": self.token, "request_id": "r1"}
        assert gate.call(key, "begin_effect", begun, id=self.id, name="mail").status_code == 200
        saved = {"lease_token": self.token, "value": 1}
        assert gate.call(key, "save_checkpoint", saved, id=self.id, name="mail").status_code == 200
