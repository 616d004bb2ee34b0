"""The client of the HTTP interface. `pip install tenure[client]`.

with Client("https://jobs.example.com", key) as client:
    job = client.enqueue("send-invoice", {"invoice": 7}, idempotency_key="invoice/7")
"""

from tenure.app.extras import lacking

try:
    from tenure.client.async_client import AsyncClient
    from tenure.client.client import Client
    from tenure.client.shapes import (
        Attempt,
        BatchItem,
        ClaimedJob,
        EnqueuedJob,
        Job,
        JobPage,
        ReportedJob,
        ReportsTaken,
    )
except ModuleNotFoundError as error:
    told = lacking("tenure.client", error, "client")
    raise ModuleNotFoundError(f"{told.message}. {told.hint}", name=error.name) from error

__all__ = [
    "AsyncClient",
    "Attempt",
    "BatchItem",
    "ClaimedJob",
    "Client",
    "EnqueuedJob",
    "Job",
    "JobPage",
    "ReportedJob",
    "ReportsTaken",
]
