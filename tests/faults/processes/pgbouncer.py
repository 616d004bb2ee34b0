"""PgBouncer in transaction mode before the tests' server: the one that is installed, or else the system's package,
unpacked into a temporary folder. Nothing is installed."""

import atexit
import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import psycopg

from tests.crash.harness import until

_PACKAGES = ("pgbouncer", "libevent-2.1-7", "libc-ares2")

_SETTINGS = """\
[databases]
* = host={host} {port} user=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {listen}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = {size}
max_client_conn = 200
ignore_startup_parameters = extra_float_digits,options
logfile = {folder}/log
"""


@cache
def program() -> tuple[str, ...] | None:
    """The command that runs PgBouncer, None where it cannot be had."""
    installed = shutil.which("pgbouncer") or shutil.which("pgbouncer", path="/usr/sbin:/usr/local/sbin")
    if installed:
        return (installed,)
    return _unpacked() if shutil.which("apt-get") and shutil.which("dpkg") else None


def _unpacked() -> tuple[str, ...] | None:
    folder = Path(tempfile.mkdtemp(prefix="tenure-pgbouncer-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    folder.chmod(0o755)
    fetched = subprocess.run(["apt-get", "download", *_PACKAGES], cwd=folder, capture_output=True, timeout=60)
    if fetched.returncode != 0:
        return None
    for package in folder.glob("*.deb"):
        subprocess.run(["dpkg", "-x", package, folder], check=True, capture_output=True, timeout=60)
    libraries = ":".join(str(path) for path in (folder / "usr/lib").glob("*-linux-gnu"))
    command = ("env", f"LD_LIBRARY_PATH={libraries}", str(folder / "usr/sbin/pgbouncer"))
    works = subprocess.run([*command, "--version"], capture_output=True, timeout=60).returncode == 0
    return command if works else None


@contextmanager
def before(url: str, size: int) -> Iterator[str]:
    """A URL that leads to the database of `url` through a pooler of `size` connections to the server."""
    command = program()
    assert command is not None
    with tempfile.TemporaryDirectory(prefix="tenure-pgbouncer-") as name:
        folder, listen = Path(name), _free_port()
        folder.chmod(0o777)
        parts = urlsplit(url)
        host = parse_qs(parts.query).get("host", [parts.hostname or "127.0.0.1"])[0]
        port = "" if parts.port is None else f"port={parts.port}"
        settings = folder / "pgbouncer.ini"
        settings.write_text(_SETTINGS.format(host=host, port=port, listen=listen, size=size, folder=folder))
        settings.chmod(0o644)
        owner = Path(host).owner() if Path(host).is_dir() else "nobody"
        as_user = ["-u", owner] if os.geteuid() == 0 else []
        process = subprocess.Popen([*command, *as_user, str(settings)], stderr=subprocess.DEVNULL)
        pooled = f"postgresql://postgres@127.0.0.1:{listen}{parts.path}"
        try:
            until(lambda: process.poll() is not None or _answers(pooled), "the pooler answers", 20)
            assert process.poll() is None, (folder / "log").read_text()
            yield pooled
        finally:
            process.kill()
            process.wait()


def _answers(url: str) -> bool:
    try:
        psycopg.connect(url, connect_timeout=2).close()
    except psycopg.OperationalError:
        return False
    return True


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
