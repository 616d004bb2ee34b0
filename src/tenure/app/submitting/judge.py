"""The program of the process that judges payloads: takes orders on standard input, answers on standard output, one line
each. The first line says that it is there. It ends when the orders do."""

import signal
import sys
from typing import Final

import msgspec

from tenure.app.submitting.judging import Order, Verdict
from tenure.core.errors import InvalidInput
from tenure.core.payloads import documents, schema

_decode: Final = msgspec.json.Decoder(Order).decode


def main() -> None:
    """Ctrl-C in a terminal is for those who gave the orders."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _say(Verdict(fits=True))
    for line in sys.stdin.buffer:
        _say(verdict(_decode(line)))


def verdict(order: Order) -> Verdict:
    try:
        schema.check("payload", order.schema, documents.load(order.text))
    except InvalidInput as error:
        message = error.message.removeprefix(f"{error.field}: ")
        return Verdict(fits=False, field=error.field, message=message, code=error.code, hint=error.hint)
    return Verdict(fits=True)


def _say(told: Verdict) -> None:
    sys.stdout.buffer.write(msgspec.json.encode(told) + b"\n")
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
