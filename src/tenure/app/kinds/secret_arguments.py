"""Which of a handler's arguments are secret: what its task declares, held against its signature."""

from typing import Any

from tenure.app import values
from tenure.app.kinds.signature import Signature
from tenure.core.errors import InvalidInput, Misconfigured
from tenure.core.payloads import documents
from tenure.core.payloads.schema import SCHEMA_BYTES
from tenure.core.secrecy.schema_secrets import check_places, marked
from tenure.core.secrecy.secret_fields import SecretFields
from tenure.core.secrecy.secret_paths import ANY, joined, split, steps_of


def check_secret(kind: str, declared: SecretFields, signature: Signature) -> None:
    """Raises Misconfigured for a path that leads nowhere in the handler's arguments, as far as these are known."""
    if not declared.payload:
        return
    try:
        for path in declared.payload:
            first = steps_of(path)[0]
            if first not in (ANY, *signature.names):
                raise InvalidInput(
                    "secret",
                    f"{path!r} leads nowhere: the handler has no parameter {first!r}",
                    hint=f"Its parameters are {', '.join(signature.names) or 'none'}.",
                )
        check_places("secret", _schema(signature), declared.payload, are_all_named=True)
    except InvalidInput as error:
        raise Misconfigured(f"task {kind!r}: {error.message}", hint=error.hint) from error


def secret_of(declared: SecretFields, signature: Signature) -> SecretFields:
    """What is declared, and what the types of the arguments mark as write-only."""
    marks = marked(_schema(signature))
    return SecretFields(joined(declared.payload, marks), declared.result) if marks else declared


def secret_defaults(fields: SecretFields, signature: Signature) -> tuple[Any, ...]:
    """What stands in the secret fields where a payload leaves them to the handler's own defaults, as far as JSON knows
    it."""
    found: list[Any] = []
    for name, default in signature.defaults.items() if fields.payload else ():
        try:
            plain = values.plain(name, default)
        except InvalidInput:
            continue  # a default that no payload could hold: a marker of the handler's own
        found += split({name: plain}, fields.payload)[1]
    return tuple(found)


def _schema(signature: Signature) -> dict[str, Any] | None:
    text = signature.schema()
    return None if text is None else documents.parse("schema", text, 16 * SCHEMA_BYTES)
