"""`tenure serve`: the HTTP service in a process of its own."""

import logging
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, NoReturn

import click

from tenure.app.asking import application, database_option, retention_said, retention_settings, setting
from tenure.app.databases import addresses
from tenure.core import defaults
from tenure.core.errors import Misconfigured, TenureError
from tenure.engine import exit_codes
from tenure.http import access_log, asgi, server
from tenure.http.application import Application
from tenure.http.callers import local
from tenure.http.options import BATCH_BYTES, BODY_BYTES, HELD_BYTES, JwtOptions
from tenure.http.server import ServerOptions
from tenure.http.service import Service
from tenure.operations.check_keys import check_keys

if TYPE_CHECKING:
    from tenure.app.tenure import Tenure

log = logging.getLogger("tenure.http")

LOCAL_HOST: Final = "127.0.0.1"
_QUEUES_LOOKED_AT: Final = 100


class Serve(click.Command):
    """The command, with what `tenure up` asks of it."""

    @contextmanager
    def beside(self, app: "Tenure", port: int) -> Iterator[str]:
        """Serves this machine without keys while the block runs; the address. Raises TenureError."""
        made = asgi(app, insecure_local=True, upkeep=False)
        with server.bound(LOCAL_HOST, port) as listening:
            made.service.start()
            _check_keys(made.service)
            with server.beside(made, listening):
                yield server.address(listening)


@click.command(cls=Serve)
@click.argument("source", metavar="[MODULE:NAME]", required=False)
@click.option("--app", "app_source", metavar="MODULE:NAME", help="The same, as an option.")
@database_option
@setting("host", default=LOCAL_HOST, show_default=True)
@setting("port", type=click.IntRange(0, 65_535), default=8000, show_default=True)
@click.option("--insecure-local", is_flag=True, help="Ask nobody for a key. For this machine alone.")
@setting("body-bytes", type=click.IntRange(1024), default=BODY_BYTES, show_default=True, help="Longest body.")
@setting(
    "batch-bytes", type=click.IntRange(1024), default=BATCH_BYTES, show_default=True, help="Longest body of a batch."
)
@setting(
    "held-bytes", type=click.IntRange(1024), default=HELD_BYTES, show_default=True, help="Of long bodies, all at once."
)
@setting("connections", type=click.IntRange(1), default=1000, show_default=True, help="Open at once.")
@setting("trusted-proxies", metavar="ADDRESSES", default="", help="Whose X-Forwarded-For is believed.")
@setting("sweep", type=click.FloatRange(0.01), default=defaults.SWEEP_INTERVAL, show_default=True, help="Seconds.")
@retention_settings
@setting("jwt-issuer", metavar="TEXT", help="Take tokens of this issuer beside API keys.")
@setting("jwt-audience", metavar="TEXT", help="The audience that a token must name.")
@setting("jwt-algorithms", metavar="NAMES", default="RS256,ES256", show_default=True, help="Those that are taken.")
@setting("jwt-keys", metavar="FILE", help="The issuer's public keys, a JWK set.")
@setting("log-format", type=click.Choice(["plain", "json"]), default="plain", show_default=True)
def serve(
    source: str | None,
    app_source: str | None,
    database: str | None,
    host: str,
    port: int,
    insecure_local: bool,
    log_format: str,
    **said: Any,
) -> NoReturn:
    """Serve the HTTP interface until SIGTERM or Ctrl-C.

    MODULE:NAME is the application whose kinds are written to the database; without it, those that the database knows
    are served. A server that cannot start ends with exit code 13.
    """
    if log_format == "json":
        for handler in logging.getLogger().handlers:
            handler.setFormatter(access_log.JsonFormatter())
    try:
        _check_host(host, insecure_local=insecure_local)
        _serve(application(source or app_source, database), host, port, insecure_local=insecure_local, said=said)
    except TenureError as error:
        click.echo(f"Error: {error}", err=True)
        sys.exit(exit_codes.BAD_START)
    sys.exit(exit_codes.OK)


def _serve(app: "Tenure", host: str, port: int, *, insecure_local: bool, said: dict[str, Any]) -> None:
    made = asgi(
        app,
        insecure_local=insecure_local,
        jwt=_jwt(said),
        retention=retention_said(said),
        **{name: said[name] for name in ("body_bytes", "batch_bytes", "held_bytes", "sweep")},
    )
    made.service.start()
    _check_keys(made.service)
    _warn(made)
    log.info("the jobs are in the database %s", addresses.shown(app.url))
    with server.bound(host, port) as listening:
        server.serve(
            made, listening, ServerOptions(**{name: said[name] for name in ("connections", "trusted_proxies")})
        )


def _check_keys(service: Service) -> None:
    """Raises Misconfigured where jobs wait that this process could hand to nobody."""
    store = service.store
    kinds = store.run(store.verbs.kinds())
    queues = {*service.app.queues(), *(kind.queue for kind in kinds.values())}
    try:
        store.run(check_keys(store.verbs, store.keyring, sorted(queues)[:_QUEUES_LOOKED_AT], None))
    except TenureError:
        service.close()
        raise


def _check_host(host: str, *, insecure_local: bool) -> None:
    if insecure_local and host != LOCAL_HOST:
        raise Misconfigured(
            f"--insecure-local serves {LOCAL_HOST} alone, not {host}", hint="Leave out --host, or make a key."
        )


def _jwt(said: dict[str, Any]) -> JwtOptions | None:
    issuer, audience, keys = (said[f"jwt_{name}"] for name in ("issuer", "audience", "keys"))
    if not (issuer or audience or keys):
        return None
    if not (issuer and audience and keys):
        raise Misconfigured("of --jwt-issuer, --jwt-audience and --jwt-keys all three are needed")
    algorithms = tuple(name.strip() for name in said["jwt_algorithms"].split(",") if name.strip())
    return JwtOptions(issuer=issuer, audience=audience, keys=keys, algorithms=algorithms)


def _warn(made: Application) -> None:
    service = made.service
    if service.options.insecure_local:
        log.warning("nobody is asked for a key: %s is an admin", local.LOCAL.name)
    elif service.options.jwt is None:
        now = service.store.run(service.verbs.now())
        if not any(key.holds(now) for key in service.store.run(service.verbs.keys())):
            log.warning(_nobody(service.app.url))


def _nobody(url: str) -> str:
    """What to do where no key opens the service. url: of its database."""
    if url.startswith("memory:"):
        return "nobody can call: keys are made in a database, and this one lives in this process alone"
    named = shlex.quote(addresses.shown(url))
    return f"nobody can call yet: make a key with `tenure keys create --role admin --name NAME --database {named}`"
