"""An application's worker: on its database, or for a service elsewhere."""

import logging
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from tenure.app.databases.addresses import shown
from tenure.core.errors import InvalidInput, Misconfigured
from tenure.core.kind import Kind
from tenure.engine import barrier
from tenure.engine.attempts.handler import Handler
from tenure.engine.options import WorkerOptions, checked
from tenure.engine.worker import Worker

if TYPE_CHECKING:
    from tenure.app.elsewhere import Elsewhere
    from tenure.app.tenure import Tenure

log = logging.getLogger("tenure.engine")

_NO_KIND: Final = (
    "Make a key that names the application's kinds, so that it may declare them (`tenure keys create --role worker "
    "--kinds …`), or have them declared by `tenure serve MODULE:NAME` or `tenure kinds set`."
)


def worker_of(app: "Tenure", service: "Elsewhere | None", options: dict[str, Any]) -> Worker:
    """As `Tenure.worker` says. Raises Misconfigured for a TENURE_BARRIER that names no point, too."""
    barrier.check()
    worker = _made(app, service, options)
    app.workers.add(worker)
    return worker


def _made(app: "Tenure", service: "Elsewhere | None", options: dict[str, Any]) -> Worker:
    how = _options({"queues": app.queues()} | options)
    if service is not None:
        return _worker_for(service, app, how)
    app.declare_kinds()
    app.declare_schedules()
    store = app.opened()
    rows = store.run(store.verbs.kinds())
    handlers = [_keeping_secret(handler, rows.get(handler.kind)) for handler in app.handlers()]
    log.info("the jobs are in the database %s", shown(app.url))
    return Worker(store, handlers, how)


def _options(said: dict[str, Any]) -> WorkerOptions:
    try:
        return checked(WorkerOptions(**said))
    except InvalidInput as error:
        raise Misconfigured(f"worker: {error.message}", hint=error.hint) from error


def _keeping_secret(handler: Handler, row: Kind | None) -> Handler:
    """Other code may have declared fields of its kind to be secret, of which its own knows nothing."""
    return handler if row is None else replace(handler, secret=handler.secret | row.secret_fields)


def _worker_for(service: "Elsewhere", app: "Tenure", options: WorkerOptions) -> Worker:
    service.check(options)
    given = service.declare(app.kind_rows())
    able = [handler for handler in app.handlers() if handler.kind in given]
    if app.tasks and not able:
        raise Misconfigured("this worker's key is given no kind of the application", hint=_NO_KIND)
    if app.periodics:
        names = ", ".join(sorted(periodic.name for periodic in app.periodics))
        log.warning(
            "this worker does not declare the application's schedules (%s): a worker's key may not. They make jobs "
            "once `tenure serve MODULE:NAME` has declared them, or `tenure remote set_schedule` has set them",
            names,
        )
    log.info("the jobs are kept by the service at %s", service.url)
    return Worker(None, able, options, desk=service.desk)
