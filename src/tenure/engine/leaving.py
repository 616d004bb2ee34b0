"""The end of a process that ran handlers: it must not wait for what they left behind."""

import logging
import os
import sys
import threading
from typing import NoReturn


def leave(code: int) -> NoReturn:
    """Exits with `code`. Python waits for every thread that is no daemon; where a handler left one, the process
    goes without it, its output and log written."""
    main = threading.main_thread()
    left = [thread.name for thread in threading.enumerate() if not thread.daemon and thread is not main]
    if left:
        logging.getLogger("tenure.engine").info("leaving without the threads %s", ", ".join(left))
        logging.shutdown()
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        os._exit(code)
    sys.exit(code)
