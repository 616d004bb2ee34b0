"""The HTTP service in a process of its own, as `tenure serve` runs it. Argument: URL of the database.

It answers its port and a key, and serves until it is told to leave.
"""

import os
import secrets
import sys

from benchmarks.child import answer, await_go


def main() -> None:
    os.environ["BENCH_URL"] = sys.argv[1]
    from benchmarks import jobs
    from tenure.core.principal import Role, scope_of
    from tenure.core.secrecy import credentials
    from tenure.http import asgi, server
    from tenure.operations.create_key import create_key

    application = asgi(jobs.app)
    application.service.start()
    secret, store = secrets.token_bytes(credentials.SECRET_BYTES), jobs.app.store
    scope = scope_of(Role.ADMIN)
    store.run(create_key(store.verbs, "bench", Role.ADMIN, scope, None, secret, who="bench"))
    with server.bound("127.0.0.1", 0) as listening:
        await_go()
        answer(port=listening.getsockname()[1], key=credentials.text_of(secret))
        server.serve(application, listening)


if __name__ == "__main__":
    main()
