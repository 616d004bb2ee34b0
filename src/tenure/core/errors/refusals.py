"""Whoever asks may not, or not now."""

from tenure.core.errors.base import TenureError


class Unauthenticated(TenureError):
    """No credential, or none that lets anybody in."""

    code = "unauthenticated"
    hint = "Send `Authorization: Bearer <key>` with a key that is neither revoked nor expired."


class Forbidden(TenureError):
    """`field` is the argument that lies outside the scope, None where the role itself forbids the call."""

    code = "forbidden"
    hint = "Use a credential whose role and scope allow it."

    def __init__(self, field: str | None, message: str, *, code: str | None = None, hint: str | None = None) -> None:
        super().__init__(message if field is None else f"{field}: {message}", code=code, hint=hint)
        self.field = field


class RedrivesForbidden(Forbidden):
    """An operator has forbidden redrives of selections."""

    code = "redrives_forbidden"
    hint = "`tenure redrives allow` ends that; the audit says who forbade it, and why."

    def __init__(self) -> None:
        super().__init__(None, "redrives of selections are forbidden")


class NotFound(TenureError):
    """There is no such thing, or not for this caller."""

    code = "not_found"
    hint = "Check the id, and that the credential's scope covers it."


class TooMany(TenureError):
    """Over a limit. retry_after: seconds until it is worth coming back."""

    code = "too_many_requests"
    hint = "Wait for the time that Retry-After says."

    def __init__(self, message: str, retry_after: float, *, code: str | None = None, hint: str | None = None) -> None:
        super().__init__(message, code=code, hint=hint)
        self.retry_after = retry_after


class QueueFull(TooMany):
    """No room for a job that is refused where there is none; nothing of the call is stored.

    queue, tenant: of the capacity; None is every one. waiting: about how many jobs wait there, capacity: how many may;
    both None for whoever may not know. drain_seconds: until they are worked off, None where nothing ran there lately.
    """

    code = "queue_full"
    hint = "Come back after the time that it says, or let what must be done in with `when_full`: accept or delay."

    def __init__(
        self,
        message: str,
        retry_after: float,
        *,
        queue: str | None,
        tenant: str | None,
        waiting: int | None,
        capacity: int | None,
        drain_seconds: float | None,
        hint: str | None = None,
    ) -> None:
        super().__init__(
            message, retry_after, hint=hint or self.hint.replace("after the time that it says", f"in {retry_after:g} s")
        )
        self.queue, self.tenant = queue, tenant
        self.waiting, self.capacity, self.drain_seconds = waiting, capacity, drain_seconds
