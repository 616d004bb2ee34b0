"""Refusals of arguments, whose words never quote what a kind keeps secret."""

from typing import Any

from tenure.app import values
from tenure.core.errors import InvalidInput
from tenure.core.secrecy.secret_fields import SecretFields
from tenure.core.secrecy.secret_paths import split
from tenure.core.secrecy.secret_values import SecretValues


def hide_in(error: InvalidInput, secret: SecretFields, arguments: Any) -> None:
    """Takes the secret values of `arguments` out of a refusal, and what it was raised from with them."""
    if not secret.payload:
        return
    found = SecretValues(_values_of(arguments, secret))
    error.message = found.hidden(error.message)
    error.args = (error.message,)
    error.hint = found.hidden(error.hint)  # type: ignore[misc]
    error.__cause__, error.__context__ = None, None


def _values_of(arguments: Any, fields: SecretFields) -> list[Any]:
    """What stands at the secret paths; a member that is no JSON value is known by its text."""
    if not isinstance(arguments, dict):
        return [str(arguments)]
    plain = {}
    for name, member in arguments.items():
        try:
            plain[str(name)] = values.plain("payload", member, text_keys=True)
        except InvalidInput:
            plain[str(name)] = str(member)
    return split(plain, fields.payload)[1]
