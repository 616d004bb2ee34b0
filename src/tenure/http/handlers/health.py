"""Whether the process answers, and whether it can do its work."""

from tenure.edge.health import Alive, Health
from tenure.http.call import Call, Reply
from tenure.http.service import Service


async def healthz(service: Service, call: Call) -> Reply:
    return Reply(body=Alive(alive=True))


async def readyz(service: Service, call: Call) -> Reply:
    """503 while something stands in the way of its work."""
    troubles = await service.troubles()
    return Reply(status=503 if troubles else 200, body=Health(ready=not troubles, troubles=troubles))
