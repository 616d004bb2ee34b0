"""The event loop of the async handlers, in a thread of its own: a handler that blocks it must not keep the worker
from claiming for others, from hearing a signal, or from leaving in time."""

import asyncio
import logging
import threading

log = logging.getLogger("tenure.engine")


class LoopThread:
    """Starts with `start()`, ends with `stop()`; tasks that are still there then are cancelled."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="tenure-loop", daemon=True)
        self._stopping = False

    def start(self) -> None:
        self._thread.start()

    def stop(self, seconds: float) -> bool:
        """Whether the loop has ended within so many seconds; a blocked one has not."""
        self.loop.call_soon_threadsafe(self._stop)
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def _run(self) -> None:
        asyncio.set_event_loop(self.loop)
        try:
            while not self._stopping:
                self._serve()
        finally:
            self._cancel_rest()
            self.loop.run_until_complete(self.loop.shutdown_asyncgens())
            self.loop.close()

    def _serve(self) -> None:
        """Until the loop is stopped; an exit or interrupt in a task of a handler's own must not end it for all."""
        try:
            self.loop.run_forever()
        except (SystemExit, KeyboardInterrupt) as error:
            log.error("a handler's own task raised %r; the event loop goes on", error)

    def _stop(self) -> None:
        self._stopping = True
        self.loop.stop()

    def _cancel_rest(self) -> None:
        tasks = asyncio.all_tasks(self.loop)
        for task in tasks:
            task.cancel()
        if tasks:
            self.loop.run_until_complete(asyncio.wait(tasks, timeout=1.0))
