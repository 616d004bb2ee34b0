"""Every default of the product, once. Durations are seconds, sizes are UTF-8 bytes."""

from datetime import timedelta
from typing import Final

QUEUE: Final = "default"
TENANT: Final = "default"
PRIORITY: Final = 0
HANDLER_VERSION: Final = 1

MAX_ATTEMPTS: Final = 4
RUN_TIME_LIMIT: Final = 3600.0
THROTTLES_PER_ATTEMPT: Final = 10
RELEASES: Final = 20
SNOOZES: Final = 1000
UNOPENED_RETURNS: Final = 12
UNOPENED_WAIT: Final = 15.0
UNOPENED_WAIT_CAP: Final = 600.0

BACKOFF_BASE: Final = 2.0
BACKOFF_CAP: Final = 3600.0
RETRY_SHARE: Final = 0.5
KIND_THROTTLE_CAP: Final = 300.0

LEASE: Final = 60.0
LEASE_MARGIN_SHARE: Final = 1 / 6
HEARTBEAT_SHARE: Final = 1 / 3
END_GRACE: Final = 10.0
SLOTS: Final = 10
CONNECTIONS: Final = 8
CONNECTIONS_OF_WORKER: Final = 20
SWEEP_INTERVAL: Final = 5.0
POLL_INTERVAL: Final = 1.0
SHUTDOWN_GRACE: Final = 30.0

EFFECT_TIMEOUT: Final = 30.0
EFFECTS_OF_A_JOB: Final = 1000
EFFECT_MARGIN_SHARE: Final = 1 / 6

PAYLOAD_BYTES: Final = 65_536
RESULT_BYTES: Final = 65_536
PROGRESS_BYTES: Final = 1024
MESSAGE_BYTES: Final = 4096
TRACEBACK_BYTES: Final = 16_384
KEY_BYTES: Final = 512
NAME_CHARACTERS: Final = 200
CODE_CHARACTERS: Final = 100
DEPTH: Final = 64
INTEGER_DIGITS: Final = 308
TAGS: Final = 20
BATCH: Final = 1000

KEEP_SUCCEEDED: Final = timedelta(days=7)
KEEP_CANCELLED: Final = timedelta(days=7)
KEEP_FAILED: Final = timedelta(days=90)
KEEP_KEYS: Final = timedelta(days=30)
