"""Queues, kinds and tenants: paused and resumed."""

from tenure.core import access
from tenure.core.flow.pause import Subject
from tenure.core.flow.place import EVERY_QUEUE, place_of
from tenure.edge.pauses import PauseBody, PauseChanged
from tenure.http.call import Call, Handler, Reply
from tenure.http.service import Service
from tenure.operations.pause import PauseAnswer, pause, resume


def pausing(subject: Subject) -> Handler:
    """The handler that pauses one."""

    async def handle(service: Service, call: Call) -> Reply:
        name = _allowed(call, subject)
        script = pause(service.verbs, subject, name, who=call.principal.name, why=call.body.why)
        return _reply(call, await service.run(script))

    return handle


def resuming(subject: Subject) -> Handler:
    """The handler that resumes one."""

    async def handle(service: Service, call: Call) -> Reply:
        name = _allowed(call, subject)
        answer = await service.run(resume(service.verbs, subject, name, who=call.principal.name, why=call.body.why))
        service.store.announce([name if subject == "queue" else EVERY_QUEUE])
        return _reply(call, answer)

    return handle


def _allowed(call: Call, subject: Subject) -> str:
    """The name, of what lies in the scope whole. Raises Forbidden."""
    access.check_whole(call.principal, place_of(subject, call.path["name"]))
    return call.path["name"]


def _reply(call: Call, answer: PauseAnswer) -> Reply:
    told = PauseBody.of(answer.pause, call.principal)
    return Reply(body=PauseChanged(name=call.path["name"], changed=answer.changed, pause=told))
