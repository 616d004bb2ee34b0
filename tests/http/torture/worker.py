"""A worker that knows nothing but HTTP. Arguments: URL, key, ledger, seconds a job.

Its ledger has one line for each effect, written before it reports, and one for each report that was acknowledged.
"""

import json
import os
import sys
import time
import uuid
from typing import Any

import httpx2


def main() -> None:
    url, key, ledger, seconds = sys.argv[1], sys.argv[2], sys.argv[3], float(sys.argv[4])
    out = os.open(ledger, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    with httpx2.Client(base_url=url, headers={"authorization": f"Bearer {key}"}, timeout=30, trust_env=False) as client:
        while True:
            for job in claimed(client):
                tell(out, "effect", job)
                time.sleep(seconds)
                body = {"lease_token": job["lease_token"], "result": job["attempt"]}
                answer = client.post(f"/jobs/{job['id']}/complete", json=body)
                if answer.status_code == 200:
                    tell(out, "acknowledged", job)
                elif answer.status_code in (404, 409):
                    tell(out, "refused", job)
                else:
                    raise SystemExit(f"{answer.status_code}: {answer.text}")


def claimed(client: httpx2.Client) -> list[dict[str, Any]]:
    said = {"claim_id": uuid.uuid4().hex, "limit": 4, "wait": 2, "lease_seconds": 2}
    answer = client.post("/jobs/claim", json=said)
    assert answer.status_code == 200, answer.text
    jobs: list[dict[str, Any]] = answer.json()["jobs"]
    return jobs


def tell(out: int, event: str, job: dict[str, Any]) -> None:
    line = {
        "event": event, "job": job["id"], "attempt": job["attempt"], "fencing": job["fencing_token"],
        "token": job["lease_token"], "worker": job["worker_id"],
    }  # fmt: skip
    os.write(out, json.dumps(line).encode() + b"\n")


if __name__ == "__main__":
    main()
