"""Reading a document that rests in a store, for the handler that it was kept for."""

from typing import Any, Final

import msgspec

from tenure.core.outcomes import Terminal
from tenure.core.payloads import documents
from tenure.core.secrecy import sealed

NO_JSON: Final = "stored_document_damaged"


def value(what: str, text: str) -> Any:
    """The plain JSON value. what: the document's name, for the message.

    Raises Terminal for one that is sealed and does not open here, and for one that is no JSON any more.
    """
    try:
        return documents.load(sealed.check(what, text))
    except (ValueError, RecursionError, msgspec.DecodeError) as error:
        raise Terminal(NO_JSON, f"{what} is no JSON any more: {error}") from error
