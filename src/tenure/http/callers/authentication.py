"""Who calls: an API key or a token of the issuer in `Authorization: Bearer`, as a principal."""

import time
from collections.abc import Callable
from datetime import datetime

from tenure.core.errors import Unauthenticated
from tenure.core.principal import Principal
from tenure.core.secrecy import credentials
from tenure.http.callers import local
from tenure.http.callers.limits import Failures
from tenure.http.callers.seen_keys import KEPT_SECONDS, Seen
from tenure.http.callers.signed_tokens import SignedTokens
from tenure.http.exchange import Request
from tenure.http.service import Service
from tenure.stores.protocol import Verbs
from tenure.stores.script import Script


class Authentication:
    """Raises Misconfigured for JWT settings that cannot work. clock: monotonic seconds."""

    def __init__(self, service: Service, clock: Callable[[], float] = time.monotonic) -> None:
        options = service.options
        self._service = service
        self._clock = clock
        self._is_local = options.insecure_local
        self._tokens = None if options.jwt is None else SignedTokens(options.jwt)
        self._failures = Failures(options.failures, options.failures_per_minute, clock)
        self._seen = service.seen_keys

    def known(self, request: Request) -> Principal | None:
        """Whom the request's key names, where the database need not be asked. Raises what `principal` raises."""
        if self._is_local:
            local.check(request)
            return local.LOCAL
        digest = credentials.hash_of(_bearer(request))
        seen = None if digest is None else self._seen.get(digest)
        return None if seen is None or seen.until <= self._clock() else seen.principal

    async def principal(self, request: Request) -> Principal:
        """Raises Unauthenticated, TooMany, StoreError; Forbidden for a request that `--insecure-local` refuses."""
        known = self.known(request)
        if known is not None:
            return known
        credential = _bearer(request)
        digest = credentials.hash_of(credential)
        try:
            return await self._of_key(digest, request.address) if digest else self._of_token(credential)
        except Unauthenticated:
            self._failures.check(request.address)
            self._failures.spend(request.address)
            raise

    async def _of_key(self, digest: str, address: str) -> Principal:
        seen = self._seen.get(digest)
        if seen is None or seen.principal is None:
            # A key that was good is asked for again in any case: who shares its address must not lock it out.
            self._failures.check(address)
        if seen is None or seen.until <= self._clock():
            seen = await self._look_up(digest)
        if seen.principal is None:
            raise Unauthenticated("the key is unknown, revoked or expired")
        return seen.principal

    async def _look_up(self, digest: str) -> Seen:
        forgotten = self._seen.forgotten
        key, now = await self._service.run(_find(self._service.verbs, digest))
        holds = key is not None and key.holds(now)
        kept = KEPT_SECONDS
        if key is not None and holds and key.expires_at is not None:
            kept = min(kept, (key.expires_at - now).total_seconds())
        seen = Seen(key.principal if key is not None and holds else None, self._clock() + kept)
        self._seen.keep(digest, seen, forgotten)
        return seen

    def _of_token(self, token: str) -> Principal:
        """Judged without the database, so that a neighbour's failures need not be held against it."""
        if self._tokens is None or token.count(".") != 2:
            raise Unauthenticated("this is no key")
        return self._tokens.principal(token)


def _find(verbs: Verbs, digest: str) -> Script[tuple[credentials.Key | None, datetime]]:
    """The key and the instant of the database's clock."""
    key = yield from verbs.key_by_hash(digest)
    return key, (yield from verbs.now())


def _bearer(request: Request) -> str:
    said = request.only(b"authorization")
    if said is None:
        raise Unauthenticated("the request has no credential")
    scheme, _, credential = said.partition(" ")
    if scheme.lower() != "bearer" or not credential.strip():
        raise Unauthenticated("the Authorization header is not of the form `Bearer <key>`")
    return credential.strip()
