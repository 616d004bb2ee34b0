"""`tenure worker`: runs the jobs of an application."""

import logging
import os
import sys
import threading
from typing import TYPE_CHECKING, Any, Final, NoReturn

import click
from click.core import ParameterSource

from tenure.app import elsewhere
from tenure.app.settings import MOST_CONNECTIONS, MOST_PROCESSES, MOST_SLOTS, OVERRIDE, Settings
from tenure.cli.asking import HEALTH_FILE, application, database_option, retention_said, retention_settings, setting
from tenure.core import defaults
from tenure.core.errors import Misconfigured, TenureError
from tenure.engine import exit_codes

log = logging.getLogger("tenure.engine")

CLOSE_GRACE: Final = 1.0

Told = dict[str, str]
"""What child processes are told by the environment: a command line can be read by everyone on the machine, and a URL
may hold a password."""

if TYPE_CHECKING:
    from tenure.app.tenure import Tenure
    from tenure.engine.worker import Worker


def names(ctx: click.Context, param: click.Parameter, value: Any) -> tuple[str, ...] | None:
    """Names between commas; in the settings file also a list."""
    if value is None:
        return None
    found = tuple(str(name).strip() for name in (value.split(",") if isinstance(value, str) else value))
    if not all(found):
        raise click.BadParameter("a name is blank", ctx, param)
    return found


def here_only(ctx: click.Context, param: click.Parameter, value: int | None) -> int | None:
    """What variables and the file say counts less than the application's own word: it asks them itself."""
    said_here = ctx.get_parameter_source(str(param.name)) is ParameterSource.COMMANDLINE
    return value if said_here else None


@click.command()
@click.argument("source", metavar="MODULE:NAME", required=False)
@click.option("--app", "app_source", metavar="MODULE:NAME", help="The same, as an option.")
@database_option
@click.option("--url", "service", metavar="URL", help="Work for the HTTP service there, in the place of a database.")
@click.option("--key", "service_key", help="To the service; better said by TENURE_KEY, which no process list shows.")
@setting("processes", type=click.IntRange(1, MOST_PROCESSES), default=1, show_default=True)
@setting("slots", type=click.IntRange(1, MOST_SLOTS), default=defaults.SLOTS, show_default=True, help="Per process.")
@setting(
    "database-connections",
    type=click.IntRange(1, MOST_CONNECTIONS),
    callback=here_only,
    help="That its handlers share at most; without it as many as fit.",
)
@setting(
    "queues",
    type=click.UNPROCESSED,
    callback=names,
    help="Comma-separated; without it the default queue and those that the tasks name.",
)
@setting("lease", type=click.FloatRange(0.1), default=defaults.LEASE, show_default=True, help="Seconds.")
@setting("poll", type=click.FloatRange(0.001), default=defaults.POLL_INTERVAL, show_default=True, help="Seconds.")
@setting("sweep", type=click.FloatRange(0.01), default=defaults.SWEEP_INTERVAL, show_default=True, help="Seconds.")
@setting(
    "shutdown-grace", type=click.FloatRange(0.0), default=defaults.SHUTDOWN_GRACE, show_default=True, help="Seconds."
)
@retention_settings
@setting("recycle-jobs", type=click.IntRange(1), help="Replace the process after so many jobs.")
@setting("recycle-age", type=click.FloatRange(1.0), help="Replace the process after so many seconds.")
@setting("recycle-memory", type=click.IntRange(1 << 20), help="Replace the process past so many bytes.")
@click.option("--name", help="A label for people.")
@setting("code-version", help="What is deployed, for the history of attempts.")
@setting("health-file", type=HEALTH_FILE, help="Where to write the health as JSON each second.")
@click.option("--lifeline", is_flag=True, hidden=True, help="One of the processes: drain when standard input ends.")
def worker(
    source: str | None,
    app_source: str | None,
    database: str | None,
    service: str | None,
    service_key: str | None,
    lifeline: bool,
    **said: Any,
) -> NoReturn:
    """Run the jobs of the application MODULE:NAME until SIGTERM or Ctrl-C; a second Ctrl-C hastens.

    With --url the jobs are those of a service; so too with TENURE_URL, or `url` of the settings file, where no database
    is named anywhere. A worker that cannot start ends with exit code 13.
    """
    options = {name: value for name, value in said.items() if value is not None}
    try:
        app = application(source or app_source, database, is_needed=True)
        told = _told(app, database, service, service_key)
        if options["processes"] > 1 and not lifeline:
            code = _supervise(app, told, options)
        else:
            code = _work(app, told, options, lifeline=lifeline)
    except TenureError as error:
        click.echo(f"Error: {error}", err=True)
        code = exit_codes.BAD_START
    sys.exit(code)


def work(source: str | None, database: str | None, options: dict[str, Any]) -> int:
    """One worker in this process on its database, to its end; its exit code. Raises TenureError where it cannot
    start."""
    return _work(application(source, database, is_needed=True), _told_of(database), options)


def _told(app: "Tenure", database: str | None, url: str | None, key: str | None) -> Told:
    """Where the jobs are: in the application's database, or kept by the service of `url`, which the application is
    told.

    Raises Misconfigured.
    """
    if database is not None and url is not None:
        raise Misconfigured("--database and --url exclude each other", hint="The service has the database.")
    if database is not None:
        os.environ.pop(elsewhere.URL_OVERRIDE, None)  # of a worker above this one, if this is a child of its handler
    found = url or os.environ.get(elsewhere.URL_OVERRIDE)
    if found is None and not app.database.is_named:
        found = Settings().text("url")
    if found is None:
        return _told_of(database)
    app.keep_elsewhere(elsewhere.service_at(found, key))
    return elsewhere.for_children(found, key)


def _told_of(database: str | None) -> Told:
    return {} if database is None else {OVERRIDE: database}


def _work(app: "Tenure", told: Told, options: dict[str, Any], *, lifeline: bool = False) -> int:
    from tenure.engine import health, memory

    kept = retention_said(options)
    app.database.connections = options.pop("database_connections", app.database.connections)
    one = app.worker(**options, retention=kept)
    os.environ.update(told)
    if lifeline:
        threading.Thread(target=_drain_with_parent, args=(one,), name="tenure-lifeline", daemon=True).start()
    file = options.get("health_file")
    memory.settle()
    closing = Closing(app)
    try:
        code = one.run(on_ready=lambda: None if file is None else health.write(file, one.health()))
    finally:
        closing.run()
    return exit_codes.SHUTDOWN_ERROR if closing.has_failed and code == exit_codes.OK else code


class Closing:
    """Closes the connections, unless the database keeps them for longer than a worker may take to leave."""

    def __init__(self, app: "Tenure") -> None:
        self._app = app
        self.has_failed = False

    def run(self) -> None:
        thread = threading.Thread(target=self._close, name="tenure-close", daemon=True)
        thread.start()
        thread.join(CLOSE_GRACE)

    def _close(self) -> None:
        try:
            self._app.close()
        except Exception:
            self.has_failed = True
            log.exception("the connections could not be closed")


def _drain_with_parent(one: "Worker") -> None:
    while os.read(0, 1024):  # unbuffered: a lock on sys.stdin would stop the exit
        pass
    one.stop()


def _supervise(app: "Tenure", told: Told, options: dict[str, Any]) -> int:
    """A child is told the number of processes too, and with it that it is one of them."""
    from tenure.engine.supervisor import Supervisor

    os.environ.update(told)
    health_file = options.pop("health_file", None)
    flags = []
    for name, value in options.items():
        shown = ",".join(value) if isinstance(value, tuple) else str(value)
        flags += [f"--{name.replace('_', '-')}", shown]
    command = [sys.executable, "-m", "tenure", "worker", *([app.source] if app.source else []), *flags]
    return Supervisor(command, options["processes"], grace=options["shutdown_grace"], health_file=health_file).run()
