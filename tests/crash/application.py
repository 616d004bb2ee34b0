"""The application that the real workers of these tests run.

Every handler writes to the ledger, a file that is only ever appended to: one line at the start of an attempt, one at
its end. What was lost or done twice can be counted there, whatever the database says.
"""

import asyncio
import ctypes
import hashlib
import os
import re
import signal
import socket
import sqlite3
import threading
import time
from pathlib import Path
from typing import Any

from tenure import Context, Tenure
from tenure.stores.script import Script
from tests.crash import effect_tasks, haste, helper_tasks

LEDGER = "TENURE_TEST_LEDGER"
HANG_AT_START = "TENURE_TEST_HANG_AT_START"

app = Tenure()
effect_tasks.declare(app)
helper_tasks.declare(app)
haste.make_it_where_it_is_asked_for()


def hang_while_the_flag_stands() -> None:
    """A start-up that never ends: the module is imported, and stays in its import."""
    flag = os.environ.get(HANG_AT_START)
    while flag is not None and Path(flag).exists():
        time.sleep(0.02)


hang_while_the_flag_stands()


def note(ctx: Context, event: str) -> None:
    """One line in one write: lines of many processes do not mix. Times are of the machine's monotonic clock."""
    job, attempt = ctx.job.id, ctx.attempt
    line = f"{job} {attempt.number} {attempt.fencing_token} {event} {time.monotonic():.6f} {os.getpid()}\n"
    handle = os.open(os.environ[LEDGER], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    try:
        os.write(handle, line.encode())
    finally:
        os.close(handle)


@app.task(max_attempts=100, backoff=(0.05, 0.2))
def ledger(ctx: Context, n: int, seconds: float = 0.0) -> int:
    note(ctx, "start")
    time.sleep(seconds)
    note(ctx, "end")
    return n


@app.task(max_attempts=100, backoff=(0.05, 0.2), uses=["press"], slots=3)
def heavy_ledger(ctx: Context, n: int, seconds: float = 0.0) -> int:
    note(ctx, "start")
    time.sleep(seconds)
    note(ctx, "end")
    return n


@app.task(max_attempts=100, backoff=(0.05, 0.2), uses=["press"])
def light_ledger(ctx: Context, n: int, seconds: float = 0.0) -> int:
    note(ctx, "start")
    time.sleep(seconds)
    note(ctx, "end")
    return n


@app.task(max_attempts=100, backoff=(0.05, 0.2))
def waits_at_a_gate(ctx: Context, gate: str) -> None:
    """Runs until somebody makes the file `gate`."""
    note(ctx, "start")
    while not Path(gate).exists():
        time.sleep(0.02)
    note(ctx, "end")


@app.task(max_attempts=100, backoff=(0.05, 0.2))
async def async_ledger(ctx: Context, n: int, seconds: float = 0.0) -> int:
    note(ctx, "start")
    await asyncio.sleep(seconds)
    note(ctx, "end")
    return n


@app.task(max_attempts=100, backoff=(0.05, 0.2), isolation="process")
def child_ledger(ctx: Context, n: int, seconds: float = 0.0) -> int:
    note(ctx, "start")
    time.sleep(seconds)
    note(ctx, "end")
    return n


@app.task(max_attempts=3, backoff=(0.05, 0.2))
def poison(ctx: Context) -> None:
    """Kills its worker, as the kernel does when memory is short."""
    note(ctx, "start")
    os.kill(os.getpid(), signal.SIGKILL)


@app.task(max_attempts=100, backoff=(0.05, 0.2))
async def blocks_the_loop(ctx: Context, seconds: float) -> None:
    note(ctx, "start")
    time.sleep(seconds)  # noqa: ASYNC251 (the mistake that this handler is there to make)
    note(ctx, "end")


@app.task(max_attempts=100, backoff=(0.05, 0.2))
def spins(ctx: Context, seconds: float) -> None:
    """Keeps the interpreter busy in pure Python."""
    note(ctx, "start")
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pass
    note(ctx, "end")


@app.task(max_attempts=100, backoff=(0.05, 0.2))
def holds_the_interpreter(ctx: Context, gate: str) -> None:
    """At its first try, one call into C that lets no other thread of the process run.

    gate: a named pipe; the call comes back when somebody opens it to write.
    """
    note(ctx, "start")
    if ctx.attempt.number == 1:
        ctypes.PyDLL(None).open(os.fsencode(gate), os.O_RDONLY)
    note(ctx, "end")


@app.task(max_attempts=100, backoff=(0.05, 0.2))
async def hangs_at_first(ctx: Context, n: int) -> int:
    """Its first attempt never ends by itself; a later one ends at once."""
    note(ctx, "start")
    if ctx.attempt.number == 1:
        await asyncio.sleep(3600)
    note(ctx, "end")
    return n


@app.task()
async def waits_to_be_cancelled(ctx: Context) -> None:
    note(ctx, "start")
    while True:
        ctx.raise_if_cancelled()
        await asyncio.sleep(0.02)


@app.task(isolation="process")
def child_waits_to_be_cancelled(ctx: Context) -> None:
    note(ctx, "start")
    while not ctx.wait_stop(60):
        pass
    ctx.raise_if_cancelled()


@app.task(max_attempts=100, backoff=(0.05, 0.2))
def goes_on(ctx: Context, steps: int) -> list[int]:
    """Saves each step; its first attempt kills its worker after the second."""
    done: list[int] = ctx.checkpoint_value("done", [])
    for step in range(len(done), steps):
        note(ctx, f"step{step}")
        done.append(step)
        ctx.checkpoint("done", done)
        if ctx.attempt.number == 1 and step == 1:
            os.kill(os.getpid(), signal.SIGKILL)
    return done


@app.task(max_attempts=100)
async def nothing(n: int) -> None:
    """Leaves no line in the ledger."""


@app.task()
def echo(text: str) -> str:
    return text


@app.task(max_attempts=1)
def fails_deep(n: int, depth: int = 200) -> None:
    """Fails with a long traceback."""
    if depth == 0:
        raise ValueError("deep " * 1_000)
    fails_deep(n, depth - 1)


@app.task(max_attempts=100, backoff=(0.05, 0.2))
def holds_a_connection(ctx: Context, seconds: float) -> None:
    """Keeps one of the application's own connections to the database for so long."""
    note(ctx, "start")
    store = app.opened()

    def script() -> Script[None]:
        yield from store.verbs.lock([])
        time.sleep(seconds)

    store.run(script())
    note(ctx, "end")


def stuck(how: str) -> None:
    if how == "sleep":
        time.sleep(3600)
    elif how == "socket":
        near, _far = socket.socketpair()
        near.recv(1)
    elif how == "hash":
        hashlib.pbkdf2_hmac("sha256", b"a", b"b", 2_000_000_000)
    elif how == "expression":
        re.fullmatch("(a+)+b", "a" * 60)


@app.task(max_attempts=2, timeout=1.0, backoff=(0.05, 0.1))
def stuck_in_a_thread(ctx: Context, how: str) -> None:
    note(ctx, "start")
    stuck(how)
    note(ctx, "end")


@app.task(max_attempts=2, timeout=1.0, backoff=(0.05, 0.1), isolation="process")
def stuck_in_a_child(ctx: Context, how: str) -> None:
    note(ctx, "start")
    stuck(how)
    note(ctx, "end")


@app.task()
def leaves_a_thread(ctx: Context) -> None:
    """Returns, and leaves a thread behind that never does."""
    note(ctx, "start")
    threading.Thread(target=time.sleep, args=(3600,), daemon=False).start()
    note(ctx, "end")


@app.task(max_attempts=5, backoff=(0.05, 0.1))
def completes_itself(ctx: Context, how: str) -> None:
    """Writes a row of its own and completes its job in one transaction; `how` says what goes wrong at the first try.

    kill_before, kill_after: the worker dies before or after the commit. rollback: the transaction is given up.
    """
    note(ctx, "start")
    first = ctx.attempt.number == 1
    connection = connect(app.url)
    try:
        place = "?" if app.url.startswith("sqlite") else "%s"
        connection.execute(
            f"INSERT INTO domain (job, attempt) VALUES ({place}, {place})", (ctx.job.id, ctx.attempt.number)
        )
        ctx.complete(connection=connection, result={"attempt": ctx.attempt.number})
        if first and how == "kill_before":
            os.kill(os.getpid(), signal.SIGKILL)
        if first and how == "rollback":
            connection.rollback()
        else:
            connection.commit()
        if how == "kill_after":
            os.kill(os.getpid(), signal.SIGKILL)
    finally:
        connection.close()
    note(ctx, "end")


def connect(url: str) -> Any:
    """A connection of the application's own, in a transaction that its owner ends."""
    if url.startswith("sqlite"):
        return sqlite3.connect(url.removeprefix("sqlite:///"), timeout=10)
    import psycopg

    return psycopg.connect(url)
