"""`pause` and `resume`, as the groups `queues`, `kinds` and `tenants` have them."""

from collections.abc import Callable

import click

from tenure.cli.asking import WHO, database_option, json_option, opened
from tenure.cli.rendering import instant, print_json
from tenure.cli.unknown_names import tell_of_empty, tell_of_unknown
from tenure.core.flow.pause import Pause, Subject
from tenure.core.flow.place import EVERY_QUEUE
from tenure.operations.pause import PauseAnswer, pause, resume


def add_pausing(group: click.Group, subject: Subject) -> None:
    """Gives the group both commands."""
    _command(
        group, "pause", f"Let no job of a {subject} start until it is resumed; what runs goes on.", _pause(subject)
    )
    _command(group, "resume", f"Let the jobs of a {subject} start again.", _resume(subject))


def since(pause: Pause | None) -> str:
    """Since when, by whom and why, for a table; nothing where there is no pause."""
    return "" if pause is None else f"{instant(pause.at)} {by_whom(pause.who, pause.why)}"


def by_whom(who: str | None, why: str | None) -> str:
    """Of a pause: by whom, and why where that was said."""
    return f"by {who}{f': {why}' if why else ''}"


Change = Callable[[str | None, str, str], PauseAnswer]
"""Of a database, the name and why."""


def _command(group: click.Group, verb: str, words: str, change: Change) -> None:
    @group.command(verb, help=words)
    @click.argument("name")
    @click.option("--why", default="", help="Kept in the table tenure_audit.")
    @database_option
    @json_option
    def command(name: str, why: str, database: str | None, as_json: bool) -> None:
        answer = change(database, name, why)
        if as_json:
            print_json(answer)
        else:
            state = "not paused" if answer.pause is None else f"paused since {since(answer.pause)}"
            click.echo(f"{name}: {'' if answer.changed else 'unchanged, '}{state}")


def _pause(subject: Subject) -> Change:
    def change(database: str | None, name: str, why: str) -> PauseAnswer:
        with opened(database) as store:
            answer = store.run(pause(store.verbs, subject, name, who=WHO, why=why))
            if subject == "kind":
                tell_of_unknown(store, name)
            elif subject in ("queue", "tenant"):
                tell_of_empty(store, subject, name)
            return answer

    return change


def _resume(subject: Subject) -> Change:
    def change(database: str | None, name: str, why: str) -> PauseAnswer:
        with opened(database) as store:
            answer = store.run(resume(store.verbs, subject, name, who=WHO, why=why))
            store.announce([name if subject == "queue" else EVERY_QUEUE])
            return answer

    return change
