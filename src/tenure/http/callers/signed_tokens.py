"""Tokens of an issuer (JWT) as an alternative to API keys. The algorithms are pinned here, whatever a token says."""

from pathlib import Path
from typing import Any, Final

import msgspec

from tenure.app.extras import installing
from tenure.core.errors import InvalidInput, Misconfigured, TenureError, Unauthenticated
from tenure.core.payloads import documents
from tenure.core.principal import Principal, Role, scope_of
from tenure.core.secrecy import credentials
from tenure.http.options import JwtOptions

LEEWAY: Final = 10
"""Seconds by which the clocks of issuer and server may differ."""

_INSTALL: Final = f"{installing('jwt')}."
_SYMMETRIC: Final = "oct"


class SignedTokens:
    """Raises Misconfigured for keys or algorithms that cannot be meant."""

    def __init__(self, options: JwtOptions) -> None:
        try:
            from joserfc import errors, jwk, jws, jwt, util
        except ImportError as error:
            raise Misconfigured("tokens of an issuer need the package joserfc", hint=_INSTALL) from error
        self._decoded, self._verified = util.urlsafe_b64decode, jws.deserialize_compact
        self._issuer = options.issuer
        self._algorithms = list(options.algorithms)
        try:
            self._keys = jwk.KeySet.import_key_set(_key_set(options.keys))
        except (errors.JoseError, ValueError, KeyError, TypeError) as error:
            raise Misconfigured(f"the JWT keys are no JWK set: {error}") from None
        _check_algorithms(self._algorithms, {key.key_type for key in self._keys.keys})
        self._claims = jwt.JWTClaimsRegistry(
            leeway=LEEWAY,
            iss={"essential": True, "value": options.issuer},
            aud={"essential": True, "value": options.audience},
            exp={"essential": True},
            sub={"essential": True},
        )

    def principal(self, token: str) -> Principal:
        """Whom the token names. Raises Unauthenticated."""
        from joserfc.errors import JoseError

        try:
            claims = self._claims_of(token)
            self._claims.validate(claims)
        except (JoseError, ValueError, KeyError, TypeError) as error:
            raise Unauthenticated("the token does not hold", code="invalid_token") from error
        try:
            return _principal(self._issuer, claims)
        except (InvalidInput, TypeError) as error:
            words = error.message if isinstance(error, TenureError) else "a claim has the wrong type"
            raise Unauthenticated(f"the token's {words}", code="invalid_claims") from error

    def _claims_of(self, token: str) -> dict[str, Any]:
        """Of a token that the issuer has signed. Header and claims are read as strictly as a body: of two members with
        one name nobody can say which was meant. Raises JoseError, ValueError."""
        _object("header", self._decoded(token.partition(".")[0].encode()))
        signed = self._verified(token, self._keys, algorithms=self._algorithms)
        return _object("claims", signed.payload or b"")


def _object(part: str, text: bytes) -> dict[str, Any]:
    """Raises InvalidInput."""
    found = documents.parse(part, text, most=len(text))
    if type(found) is not dict:
        raise InvalidInput(part, "must be an object")
    return found


def _principal(issuer: str, claims: dict[str, Any]) -> Principal:
    """Raises InvalidInput naming the claim, TypeError for a claim of the wrong type."""
    name = credentials.subject_of(issuer, "sub", claims["sub"])
    said = claims.get("tenure_role")
    if said not in set(Role):
        raise InvalidInput("tenure_role", f"is none of {', '.join(Role)}")
    role = Role(said)
    scope = scope_of(
        role,
        tenants=_names(claims, "tenure_tenants"),
        kinds=_names(claims, "tenure_kinds"),
        queues=_names(claims, "tenure_queues"),
        max_priority=claims.get("tenure_max_priority"),
    )
    return Principal(id=name, name=name, role=role, scope=scope)


def _names(claims: dict[str, Any], claim: str) -> list[str] | None:
    said = claims.get(claim)
    if said is not None and not isinstance(said, list):
        raise InvalidInput(claim, "must be a list of names")
    return said


def _key_set(keys: str) -> Any:
    text = keys
    if not keys.lstrip().startswith("{"):
        try:
            text = Path(keys).read_text(encoding="utf-8")
        except OSError as error:
            raise Misconfigured(f"the file of JWT keys cannot be read: {error.strerror}") from None
    return msgspec.json.decode(text)


def _check_algorithms(algorithms: list[str], key_types: set[str]) -> None:
    """A secret algorithm beside a public key would let anybody sign who knows the public key."""
    if not algorithms or "none" in {name.lower() for name in algorithms}:
        raise Misconfigured("the JWT algorithms must be named, and none is not one")
    take_secrets = {name.startswith("HS") for name in algorithms}
    are_secrets = {key_type == _SYMMETRIC for key_type in key_types}
    if not key_types or len(take_secrets | are_secrets) != 1:
        raise Misconfigured(
            "the JWT algorithms do not fit the keys: HS256 and its kin take secrets (oct), the others public keys",
            hint="Name the algorithms of your issuer's keys with --jwt-algorithms.",
        )
