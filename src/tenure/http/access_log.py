"""One line a request, at info, by the logger `tenure.http.access`. No query, no body, no credential."""

import json
import logging
from typing import Any, Final

from tenure.core.principal import Principal
from tenure.http.exchange import Request

log = logging.getLogger("tenure.http.access")

_FACTS: Final = "request"


def write(request: Request, status: int, operation: str, principal: Principal | None, seconds: float) -> None:
    """seconds: from the first byte of the head to the end of the answer."""
    if not log.isEnabledFor(logging.INFO):
        return
    facts = {
        "request_id": request.request_id,
        "address": request.address,
        "principal": None if principal is None else principal.name,
        "method": request.method,
        "path": ascii(request.raw_path)[1:-1],
        "operation": operation,
        "status": status,
        "ms": round(seconds * 1000, 1),
    }
    words = "%(address)s %(principal)s %(method)s %(path)s %(status)d %(ms).1f ms %(request_id)s"
    log.info(words, facts, extra={_FACTS: facts})


def write_refusal(client: tuple[str, int] | None, status: int, code: str, request_id: str) -> None:
    """Of what came over a connection and is no request. client: address and port, None for a Unix socket."""
    facts = {"request_id": request_id, "address": client[0] if client else "", "status": status, "code": code}
    log.info("%(address)s %(status)d %(code)s %(request_id)s", facts, extra={_FACTS: facts})


class JsonFormatter(logging.Formatter):
    """Every line of the log as one JSON object; of a request, its facts as members."""

    def format(self, record: logging.LogRecord) -> str:
        said: dict[str, Any] = {"at": self.formatTime(record), "level": record.levelname.lower(), "logger": record.name}
        said |= getattr(record, _FACTS, None) or {"message": record.getMessage()}
        if record.exc_info:
            said["traceback"] = self.formatException(record.exc_info)
        return json.dumps(said, ensure_ascii=True)
