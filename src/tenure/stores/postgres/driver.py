"""psycopg, imported when it is needed: the library works without it on SQLite."""

from typing import TYPE_CHECKING, Any, Final, TypeAlias

from tenure.core.errors import Misconfigured

if TYPE_CHECKING:
    from psycopg import Connection

OwnConnection: TypeAlias = "Connection[tuple[Any, ...]]"

CONNECT_SECONDS: Final = 5
LISTENER_NAME: Final = "tenure-listener"
_PARAMETERS: Final[dict[str, Any]] = {
    "connect_timeout": CONNECT_SECONDS,
    "client_encoding": "utf8",
    "keepalives": 1,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 20_000,
}


def psycopg() -> Any:
    """The module. Raises Misconfigured where it is not installed."""
    try:
        import psycopg as module
    except ImportError as error:
        raise Misconfigured(
            "PostgreSQL needs the driver psycopg, which is not installed",
            hint="Run pip install 'tenure[postgres]', in a clone of its source pip install '.[postgres]'.",
        ) from error
    return module


def connect(url: str, *, name: str = "tenure") -> OwnConnection:
    """A connection in autocommit mode that keeps no state on the server, so that a pooler may stand between.

    What the URL says goes before the parameters of this module. Raises Misconfigured for a URL that is none, and
    psycopg's errors.
    """
    module = psycopg()
    try:
        said = module.conninfo.conninfo_to_dict(url)
    except module.ProgrammingError as error:
        hint = "Write postgresql://user@host/name; behind a ? stand only parameters that libpq knows."
        raise Misconfigured(f"the database's URL cannot be read: {str(error).strip()}", hint=hint) from error
    parameters = _PARAMETERS | {"application_name": name} | said
    connection: OwnConnection = module.connect(**parameters, autocommit=True, prepare_threshold=None)
    return connection


def is_direct(connection: OwnConnection) -> bool:
    """Whether no pooler stands between: a pooler makes up the process id that it tells at the start."""
    row = connection.execute("SELECT pg_backend_pid()").fetchone()
    return row is not None and row[0] == connection.info.backend_pid
