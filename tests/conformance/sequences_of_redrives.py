"""The steps of a sequence about dead letters, redrives, cancels of many and supersede."""

from datetime import timedelta
from typing import TYPE_CHECKING, Final
from uuid import UUID

from tenure.core.attempt import ErrorClass
from tenure.core.job_filter import JobFilter
from tenure.core.redriving.redrive import FrozenState, Guard
from tenure.core.reports import Failure
from tenure.core.states import State
from tenure.operations.advance_redrive import advance_redrive
from tenure.operations.cancel_many import cancel_many, preview_cancel
from tenure.operations.change_redrive import BY_HAND, change_redrive
from tenure.operations.claim import claim
from tenure.operations.failures import failures
from tenure.operations.forbid_redrives import allow_redrives, forbid_redrives
from tenure.operations.preview_redrive import preview_redrive
from tenure.operations.report import report
from tenure.operations.start_redrive import start_redrive
from tenure.operations.supersede import supersede
from tests.conformance.asking import NEWER
from tests.conformance.parties import Party, Refused

if TYPE_CHECKING:
    from tests.conformance.sequences import World

_PAST: Final = (0xFEED << 112) | (7 << 76) | (2 << 62)


class RedriveSteps:
    """Draws its questions from the chance of the sequence that it is part of."""

    def __init__(self, world: "World") -> None:
        self._world, self._number = world, 0
        self._ids: list[str] = []
        self._noted: set[tuple[str, str, int]] = set()

    def step(self) -> None:
        choices = [(6, self.fail), (4, self.start), (6, self.advance), (2, self.change), (2, self.look), (1, self.cancel),
                   (1, self.supersede), (1, self.switch)]  # fmt: skip
        weights = [weight for weight, _ in choices]
        for _, step in self._world.chance.choices(choices, weights, k=3):
            step()

    def fail(self) -> None:
        """What can be claimed fails for good."""
        world = self._world
        request = world.request()
        leases = world.claimed(world.parties.ask("claim", lambda verbs: claim(verbs, request)), request)
        reports = [
            Failure(
                job_id=lease.job_id, token=lease.token, error_class=ErrorClass.TERMINAL,
                code=world.chance.choice(("e1", "e1", "e2")), error="it broke",
            )
            for lease in leases
        ]  # fmt: skip
        if reports:
            world.parties.ask("fail", lambda verbs: report(verbs, reports))

    def start(self) -> None:
        self.fail()
        world, pick = self._world, self._world.chance.choice
        known = self._ids and world.chance.random() < 0.1
        redrive_id = pick(self._ids) if known else self._fresh_id()
        which = self._which()
        guard = Guard(
            canary=pick((None, 1, 2)), pace=pick((0.5, 3.0, 100.0)), stop_share=pick((0.2, 1.0)),
            single_attempts=pick((False, True)),
        )  # fmt: skip
        world.parties.ask("preview redrive", lambda verbs: preview_redrive(verbs, which, guard))
        made = world.parties.ask(
            "start redrive", lambda verbs: start_redrive(verbs, redrive_id, which, guard, who="op", why="test")
        )
        if not isinstance(made, Refused) and not known:
            self._ids.append(redrive_id)

    def advance(self) -> None:
        if self._ids:
            redrive_id = self._world.chance.choice(self._ids)
            self._world.parties.ask("advance redrive", lambda verbs: advance_redrive(verbs, redrive_id))
            for party in self._world.parties.parties:
                self._note(party, redrive_id)

    def _note(self, party: Party, redrive_id: str) -> None:
        """What was sent counts its tries from there."""
        rows = party.store.run(party.store.verbs.frozen_in_redrive(redrive_id, None, -1, 10_000))
        for row in rows:
            place = (party.name, redrive_id, row.place)
            if row.sent_at is not None and place not in self._noted:
                self._noted.add(place)
                party.redriven_at[row.job_id] = row.attempt

    def change(self) -> None:
        if self._ids:
            redrive_id, event = self._world.chance.choice(self._ids), self._world.chance.choice(BY_HAND)
            self._world.parties.ask(
                f"{event} redrive", lambda verbs: change_redrive(verbs, redrive_id, event, who="op", why="")
            )

    def switch(self) -> None:
        work = self._world.chance.choice((forbid_redrives, allow_redrives, allow_redrives))
        self._world.parties.ask("switch", lambda verbs: work(verbs, who="op", why="test"))
        self._world.parties.ask("read switch", lambda verbs: verbs.read_switch("redrives"))

    def look(self) -> None:
        world, which = self._world, self._which()
        world.parties.ask("failures", lambda verbs: failures(verbs, which, 5, 3))
        world.parties.ask("dead letters", lambda verbs: verbs.dead_letters(which, (world.clock(), NEWER), 3))
        world.parties.ask("oldest letters", lambda verbs: verbs.dead_letters_after(which, None, 3))
        world.parties.ask("open redrives", lambda verbs: verbs.open_redrives())
        world.parties.ask("redrives", lambda verbs: verbs.redrives(None, 3))
        for redrive_id in self._ids[-2:]:
            state = world.chance.choice((None, *FrozenState))
            world.parties.ask("frozen", lambda verbs: verbs.frozen_in_redrive(redrive_id, state, 0, 5))  # noqa: B023
            world.parties.ask("sent", lambda verbs: verbs.sent_in_redrive(redrive_id, world.clock()))  # noqa: B023

    def cancel(self) -> None:
        which, limit = self._which(), self._world.chance.choice((1, 3))
        self._world.parties.ask("preview cancel", lambda verbs: preview_cancel(verbs, which))
        self._world.parties.ask("cancel many", lambda verbs: cancel_many(verbs, which, None, limit, who="op"))

    def supersede(self) -> None:
        """Of jobs that came in different batches: within one, each store numbers them in its own order."""
        batches = self._world.batches
        if len(batches) > 1:
            older, newer = sorted(self._world.chance.sample(range(len(batches)), 2))
            pair = self._world.chance.choice(batches[older]).id, self._world.chance.choice(batches[newer]).id
            self._world.parties.ask("supersede", lambda verbs: supersede(verbs, *pair, who="op"))

    def prune(self, period: timedelta) -> None:
        self._world.parties.ask("prune redrives", lambda verbs: verbs.prune_redrives(period, 2))

    def _which(self) -> JobFilter:
        world, pick = self._world, self._world.chance.choice
        return JobFilter(
            states=pick((None, None, (State.FAILED, State.SCHEDULED))),
            tenants=pick((None, None, None, ("a", "é"))),
            kinds=pick((None, None, None, ("a",), ("a", "b", "ç"))),
            code=pick((None, None, None, "e1")),
            version=pick((None, None, None, 1)),
            since=pick((None, None, None, world.clock() - timedelta(seconds=40))),
            until=pick((None, None, None, world.clock())),
            ids=pick((None, None, None, tuple(world.ids[-5:]))),
        )

    def _fresh_id(self) -> str:
        self._number += 1
        return str(UUID(int=_PAST | self._number))
