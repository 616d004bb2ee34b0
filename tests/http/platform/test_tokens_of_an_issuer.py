"""JWT beside API keys: the issuer, audience and algorithms are those of the settings, whatever a token says."""

import base64
import hmac
import json
import time
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding
from joserfc import jwk, jwt

from tenure.core.errors import InvalidInput, Misconfigured, Unauthenticated
from tenure.core.principal import Role, Scope
from tenure.core.secrecy import credentials
from tenure.http.callers.signed_tokens import SignedTokens
from tenure.http.options import JwtOptions
from tests.http.platform.conftest import Build, Keys, asked, refusal

ISSUER, AUDIENCE = "https://login.example", "tenure"
ADA = "ada@https://login.example"
PRIVATE = jwk.ECKey.generate_key("P-256", {"kid": "one"})
OTHER = jwk.ECKey.generate_key("P-256", {"kid": "one"})
RSA = jwk.RSAKey.generate_key(2048, {"kid": "two"})
SECRET = jwk.OctKey.generate_key(256, {"kid": "three"})


def key_set(*keys: Any, private: bool = False) -> str:
    return json.dumps({"keys": [key.as_dict(private=private) for key in keys]})


def options(**said: Any) -> JwtOptions:
    return JwtOptions(**{"issuer": ISSUER, "audience": AUDIENCE, "keys": key_set(PRIVATE, RSA), **said})


def token(key: Any = PRIVATE, algorithm: str = "ES256", kid: str = "one", **claims: Any) -> str:
    said = {
        "iss": ISSUER, "aud": AUDIENCE, "exp": int(time.time()) + 600, "sub": "ada", "tenure_role": "producer", **claims,
    }  # fmt: skip
    known = {name: value for name, value in said.items() if value is not None}
    return jwt.encode({"alg": algorithm, "kid": kid}, known, key, algorithms=[algorithm])


def encoded(part: bytes) -> str:
    return base64.urlsafe_b64encode(part).decode().rstrip("=")


@pytest.fixture
def tokens() -> SignedTokens:
    return SignedTokens(options())


def test_a_token_names_its_principal_and_scope(tokens: SignedTokens) -> None:
    said = token(tenure_tenants=["acme"], tenure_kinds=["mail"], tenure_queues=["post"], tenure_max_priority="high")
    principal = tokens.principal(said)
    assert (principal.name, principal.role) == (ADA, Role.PRODUCER)
    assert principal.scope == Scope(
        tenants=frozenset({"acme"}), kinds=frozenset({"mail"}), queues=frozenset({"post"}), max_priority=20
    )


def test_what_a_token_leaves_out_is_as_narrow_as_for_a_key(tokens: SignedTokens) -> None:
    assert tokens.principal(token()).scope == Scope()


def test_each_key_of_the_set_holds_for_its_algorithm(tokens: SignedTokens) -> None:
    assert tokens.principal(token(RSA, "RS256", "two")).name == ADA


@pytest.mark.parametrize(
    "claims",
    [
        {"iss": "https://evil.example"},
        {"iss": None},
        {"aud": "other"},
        {"aud": None},
        {"exp": None},
        {"exp": int(time.time()) - 60},
        {"exp": "never"},
        {"nbf": int(time.time()) + 86_400},
        {"sub": None},
        {"sub": ""},
        {"sub": "ada lovelace"},
        {"sub": "ada@https://login.example"},
        {"sub": "x" * 200},
        {"sub": 7},
        {"tenure_role": None},
        {"tenure_role": "root"},
        {"tenure_role": ["admin"]},
        {"tenure_tenants": "acme"},
        {"tenure_tenants": []},
        {"tenure_kinds": [3]},
        {"tenure_max_priority": "urgent"},
        {"tenure_max_priority": 10**9},
    ],
)
def test_a_token_with_a_claim_that_does_not_hold_lets_nobody_in(tokens: SignedTokens, claims: dict[str, Any]) -> None:
    with pytest.raises(Unauthenticated):
        tokens.principal(token(**claims))


def test_a_token_signed_by_another_key_lets_nobody_in(tokens: SignedTokens) -> None:
    with pytest.raises(Unauthenticated):
        tokens.principal(token(OTHER))


def test_a_token_that_names_its_own_algorithm_lets_nobody_in(tokens: SignedTokens) -> None:
    """`none`, and a secret made of the public key: both forgeries that everybody could make."""
    _, body, _ = token().split(".")
    unsigned = encoded(b'{"alg":"none"}') + f".{body}."
    said = encoded(b'{"alg":"HS256","kid":"two"}') + f".{body}"
    secret = f"{said}.{encoded(hmac.digest(RSA.as_pem(private=False), said.encode(), 'sha256'))}"
    for forged in (unsigned, secret, token(RSA, "RS512", "two"), "a.b.c", ".."):
        with pytest.raises(Unauthenticated):
            tokens.principal(forged)


def signed(claims: str | bytes, header: str = '{"alg":"RS256","kid":"two"}') -> str:
    """A token that the issuer has signed, with header and claims as they are written here."""
    said = f"{encoded(header.encode())}.{encoded(claims.encode() if isinstance(claims, str) else claims)}"
    signature = RSA.private_key.sign(said.encode(), padding.PKCS1v15(), hashes.SHA256())
    return f"{said}.{encoded(signature)}"


CLAIMS = json.dumps({"iss": ISSUER, "aud": AUDIENCE, "exp": 2**40, "sub": "ada", "tenure_role": "viewer"})
DEEP = "[" * 3500 + "]" * 3500


@pytest.mark.parametrize(
    "said",
    [
        signed(CLAIMS[:-1] + ',"tenure_role":"admin"}'),
        signed(CLAIMS[:-1] + ',"tenure_role":"viewer"}'),
        signed(CLAIMS[:-1] + f',"x":{DEEP}}}'),
        signed(CLAIMS[:-1] + ',"x":NaN}'),
        signed(CLAIMS[:-1] + ',"x":{"y":1,"y":2}}'),
        signed(CLAIMS, '{"alg":"RS256","kid":"one","kid":"two"}'),
        signed(CLAIMS, f'{{"alg":"RS256","kid":"two","x":{DEEP}}}'),
        signed(f"[{CLAIMS}]"),
        signed(b"\xff\xfe"),
    ],
)
def test_a_signed_token_is_read_as_strictly_as_a_body(build: Build, said: str) -> None:
    application = build(jwt=options())
    good = asked(application, "GET", "/things", headers={"authorization": f"Bearer {signed(CLAIMS)}"})
    assert good.status_code == 200
    refused = asked(application, "GET", "/things", headers={"authorization": f"Bearer {said}"})
    assert refusal(refused) == (401, "invalid_token")


@pytest.mark.parametrize(
    "said",
    [
        {"algorithms": ()},
        {"algorithms": ("none",)},
        {"algorithms": ("ES256", "None")},
        {"algorithms": ("HS256",)},
        {"algorithms": ("HS256", "ES256")},
        {"keys": key_set(SECRET, private=True)},
        {"keys": key_set(SECRET, PRIVATE, private=True)},
        {"keys": '{"keys": []}'},
        {"keys": "{"},
        {"keys": "/nowhere/keys.json"},
    ],
)
def test_settings_under_which_anybody_could_sign_are_refused_at_the_start(said: dict[str, Any]) -> None:
    with pytest.raises(Misconfigured):
        SignedTokens(options(**said))


def test_secrets_hold_where_they_alone_are_meant() -> None:
    tokens = SignedTokens(options(keys=key_set(SECRET, private=True), algorithms=("HS256",)))
    assert tokens.principal(token(SECRET, "HS256", "three")).name == ADA


def test_the_keys_may_stand_in_a_file(tmp_path: Path) -> None:
    (tmp_path / "keys.json").write_text(key_set(PRIVATE))
    assert SignedTokens(options(keys=str(tmp_path / "keys.json"))).principal(token()).name == ADA


def test_no_two_sources_of_principals_can_give_the_same_name(tokens: SignedTokens, build: Build, key: Keys) -> None:
    """A worker's name opens its leases."""
    other = SignedTokens(options(issuer="https://other.example")).principal(token(iss="https://other.example"))
    application = build(jwt=options())
    of_key = asked(application, "GET", "/things", headers={"authorization": f"Bearer {key(name='ada')}"})
    local = asked(build(insecure_local=True), "GET", "/things")
    names = [one.json()["said"]["principal"] for one in (of_key, local)]
    names += [tokens.principal(token()).name, other.name]
    assert names == ["ada", "@local", ADA, "ada@https://other.example"]
    for name in names[1:]:
        with pytest.raises(InvalidInput):
            credentials.name("name", name)


def test_a_request_may_bring_a_token_in_the_place_of_a_key(build: Build) -> None:
    application = build(jwt=options())
    good = asked(application, "GET", "/things", headers={"authorization": f"Bearer {token()}"})
    assert good.json()["said"]["principal"] == ADA
    bad = asked(application, "GET", "/things", headers={"authorization": f"Bearer {token(OTHER)}"})
    assert refusal(bad) == (401, "invalid_token")


def test_failures_of_a_neighbour_are_not_held_against_a_token_that_holds(build: Build) -> None:
    application = build(jwt=options(), failures=2)
    wrong = {"authorization": f"Bearer {token(OTHER)}"}
    said = [asked(application, "GET", "/things", headers=wrong).status_code for _ in range(4)]
    assert said == [401, 401, 429, 429]
    assert asked(application, "GET", "/things", headers={"authorization": f"Bearer {token()}"}).status_code == 200
