"""`tenure doctor`: what is wrong, and what to do."""

import click

from tenure.cli import exit_codes
from tenure.cli.asking import database_option, json_option, opened
from tenure.cli.diagnosis import examine
from tenure.cli.finding import Finding, Level
from tenure.cli.rendering import print_json, print_table
from tenure.core.errors import StoreError


@click.command()
@database_option
@json_option
def doctor(database: str | None, as_json: bool) -> None:
    """Look for what is wrong, and say what to do. Changes nothing; ends with 1 when something is wrong."""
    code = exit_codes.OK
    try:
        with opened(database) as store:
            findings = examine(store)
    except StoreError as error:
        findings, code = [Finding("database", Level.WRONG, str(error))], exit_codes.of(error)
    if as_json:
        print_json({"findings": findings})
    else:
        print_table(("check", "level", "finding"), [(f.check, str(f.level), f.words) for f in findings], "")
    if code == exit_codes.OK and any(finding.level is Level.WRONG for finding in findings):
        code = exit_codes.FAILURE
    raise click.exceptions.Exit(code)
