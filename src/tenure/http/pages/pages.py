"""What is served beside the operations of the table: metrics, and what tells of the operations."""

from collections.abc import Sequence
from typing import Final

from tenure.core.principal import Action
from tenure.edge.operation import Operation
from tenure.http.call import Call
from tenure.http.exchange import Answer, json_of
from tenure.http.pages import docs_page, metrics, openapi
from tenure.http.pages.metrics import Answered
from tenure.http.service import Service

METRICS: Final = Operation(
    name="metrics",
    method="GET",
    path="/metrics",
    action=Action.LIST,
    summary="Counts of jobs and of requests, in the text format of Prometheus.",
    answers={200: ()},
)
OPENAPI: Final = Operation(
    name="openapi", method="GET", path="/openapi.json", action=None, summary="This description.", answers={200: ()}
)
DOCS: Final = Operation(
    name="docs", method="GET", path="/docs", action=None, summary="The same, to be read.", answers={200: ()}
)
START: Final = Operation(
    name="start", method="GET", path="/", action=None, summary="Where to read on.", answers={200: ()}
)


class Pages:
    """table: the operations that are told of."""

    def __init__(self, service: Service, answered: Answered, table: Sequence[Operation]) -> None:
        self._service = service
        self._answered = answered
        self._table = (*table, METRICS)

    async def metrics(self, call: Call, root: str) -> Answer:
        body = await metrics.text(self._service, call.principal.scope, self._answered)
        return Answer(status=200, body=body, media=metrics.MEDIA)

    async def start(self, call: Call, root: str) -> Answer:
        told = {"name": "tenure", "docs": f"{root}/docs", "openapi": f"{root}/openapi.json", "ready": f"{root}/readyz"}
        return Answer(status=200, body=json_of(told))

    async def openapi(self, call: Call, root: str) -> Answer:
        return Answer(status=200, body=json_of(self._document(root)))

    async def docs(self, call: Call, root: str) -> Answer:
        body = docs_page.page(self._document(root))
        return Answer(status=200, body=body, media=docs_page.MEDIA, headers=docs_page.HEADERS)

    def _document(self, root: str) -> dict[str, object]:
        return openapi.document(self._table, root, {METRICS.name: metrics.MEDIA})
