"""`tenure keys`: who may use the HTTP interface."""

import secrets
from datetime import datetime, timedelta
from typing import Any

import click

from tenure.app.databases.addresses import shown
from tenure.cli.asking import WHO, database_option, database_url, json_option, opened
from tenure.cli.commands.enqueue import options_of
from tenure.cli.commands.jobs import NotFound
from tenure.cli.rendering import instant, print_json, print_table
from tenure.core import fields
from tenure.core.principal import Role, Scope, scope_of
from tenure.core.secrecy import credentials
from tenure.core.secrecy.credentials import Key
from tenure.operations.create_key import create_key
from tenure.operations.revoke_key import revoke_key
from tenure.stores.protocol import Verbs
from tenure.stores.script import Script

_LONGEST = 36_500


@click.group()
def keys() -> None:
    """Create, list and revoke API keys. A key is shown once, by its creation."""


@keys.command("create")
@click.option("--role", type=click.Choice([str(role) for role in Role]), required=True)
@click.option("--name", required=True, help="Of who holds it; a worker's name on its attempts.")
@click.option(
    "--tenants", help="Names with commas between; * is every one. Unsaid: default (operator, admin: every one)."
)
@click.option("--kinds", help="Names with commas between. Unsaid: every one.")
@click.option("--queues", help="Names with commas between. Unsaid: every one.")
@click.option(
    "--max-priority",
    help="low, medium, high, critical or a whole number. Unsaid: medium (operator, admin: the highest).",
)
@click.option("--expires-in", type=click.FloatRange(0, _LONGEST, min_open=True), metavar="DAYS", help="Unsaid: never.")
@click.option("--why", default="", help="Kept in the table tenure_audit.")
@database_option
@json_option
def create(
    role: str, name: str, expires_in: float | None, why: str, database: str | None, as_json: bool, **said: Any
) -> None:
    """Let somebody in. The key stands alone on standard output, the rest on standard error."""
    scope = _scope(Role(role), **said)
    secret = secrets.token_bytes(credentials.SECRET_BYTES)
    with opened(database) as store:
        made = store.run(_created(store.verbs, name, Role(role), scope, expires_in, secret, why))
    key = credentials.text_of(secret)
    click.echo(f"{_words(made)}, in the database {shown(database_url(database))}", err=True)
    if as_json:
        print_json(_public(made) | {"key": key})
        return
    click.echo(key)
    click.echo("It is shown this once; what is stored cannot be turned back into it.", err=True)


@keys.command("list")
@database_option
@json_option
def list_keys(database: str | None, as_json: bool) -> None:
    """Every key, newest first, revoked and expired ones too; never what would let anybody in."""
    with opened(database) as store:
        found, now = store.run(store.verbs.keys()), store.run(store.verbs.now())
    if as_json:
        print_json({"keys": [_public(key) for key in found]})
        return
    rows = [
        (key.id, key.name, str(key.role), _standing(key, now), instant(key.created_at), key.created_by, _reach(key))
        for key in found
    ]
    print_table(("id", "name", "role", "standing", "created", "by", "scope"), rows, "no keys")


@keys.command("revoke")
@click.argument("which", metavar="ID|NAME")
@click.option("--why", default="", help="Kept in the table tenure_audit.")
@database_option
def revoke(which: str, why: str, database: str | None) -> None:
    """Shut somebody out, for good, with all that the key named ID or NAME opens."""
    with opened(database) as store:
        key = store.run(_revoked(store.verbs, which, why))
    if key is None:
        raise NotFound(f"there is no key {which}")
    click.echo(f"{_words(key)}: revoked at {instant(key.revoked_at)}")


def _created(
    verbs: Verbs, name: str, role: Role, scope: Scope, days: float | None, secret: bytes, why: str
) -> Script[Key]:
    ends = None if days is None else (yield from verbs.now()) + timedelta(days=days)
    return (yield from create_key(verbs, name, role, scope, ends, secret, who=WHO, why=why))


def _revoked(verbs: Verbs, which: str, why: str) -> Script[Key | None]:
    """An id goes before a name, a live key before revoked ones of its name."""
    known = yield from verbs.keys()
    found = [key for key in known if key.id == which] or [key for key in known if key.name == which]
    live = [key for key in found if key.revoked_at is None]
    for key in (live or found)[:1]:
        return (yield from revoke_key(verbs, key.id, who=WHO, why=why))
    return None


def _scope(role: Role, max_priority: str | None, **names: str | None) -> Scope:
    said = {field: None if text is None else _split(text) for field, text in names.items()}
    return scope_of(role, max_priority=options_of({"priority": max_priority}).get("priority"), **said)


def _split(text: str) -> list[str]:
    return [name.strip() for name in text.split(",")]


def _public(key: Key) -> dict[str, Any]:
    """The key for JSON, without its hash."""
    scope = {name: _names(getattr(key.scope, name)) for name in ("tenants", "kinds", "queues")}
    shown = {name: getattr(key, name) for name in credentials.COLUMNS if name not in ("hash", "scope")}
    return shown | scope | {"max_priority": fields.priority_label(key.scope.max_priority)}


def _names(allowed: frozenset[str] | None) -> list[str] | None:
    return None if allowed is None else sorted(allowed)


def _words(key: Key) -> str:
    return f"{key.role} {key.name} (key {key.id}; {_reach(key)})"


def _reach(key: Key) -> str:
    """What the key is limited to, in words."""
    said = [(name, _names(getattr(key.scope, name))) for name in ("tenants", "kinds", "queues")]
    parts = [f"every {name[:-1]}" if names is None else f"{name} {', '.join(names)}" for name, names in said]
    return "; ".join([*parts, f"priority to {fields.priority_label(key.scope.max_priority)}"])


def _standing(key: Key, now: datetime) -> str:
    if key.revoked_at is not None:
        return f"revoked {instant(key.revoked_at)}"
    if not key.holds(now):
        return f"expired {instant(key.expires_at)}"
    return "live" if key.expires_at is None else f"until {instant(key.expires_at)}"
