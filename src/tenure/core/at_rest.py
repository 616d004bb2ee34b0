"""Reading a document that rests in a store, for the handler that it was kept for."""

from typing import Any, Final

import msgspec

from tenure.core import documents, sealed
from tenure.core.outcomes import Terminal

NO_JSON: Final = "stored_document_damaged"


def value(what: str, text: str) -> Any:
    """The plain JSON value. what: the document's name, for the message.

    Raises Terminal for one that is sealed and does not open here, and for one that is no JSON any more.
    """
    try:
        return documents.load(sealed.check(what, text))
    except (ValueError, RecursionError, msgspec.DecodeError) as error:
        raise Terminal(NO_JSON, f"{what} is no JSON any more: {error}") from error
