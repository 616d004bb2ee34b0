"""What is shown of a database's URL."""

import pytest

from tenure.app.databases.addresses import shown


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("sqlite:///shop.db", "sqlite:///shop.db"),
        ("sqlite:////srv/a:b@c.db", "sqlite:////srv/a:b@c.db"),
        ("postgresql://host/name", "postgresql://host/name"),
        ("postgresql://me@host:5432/name", "postgresql://me@host:5432/name"),
        ("postgresql://me:secret@host:5432/name", "postgresql://me@host:5432/name"),
        ("postgres://me:s%40cr:et@host/name?sslmode=require", "postgres://me@host/name?sslmode=require"),
        ("postgresql://me:se@cret@host/name", "postgresql://me@host/name"),
        ("postgresql://host/name?user=me&password=secret&sslmode=require", "postgresql://host/name?user=me&sslmode=require"),
        ("postgresql://host/name?sslmode=require&Password=secret", "postgresql://host/name?sslmode=require"),
        ("postgresql://host/name?sslpassword=secret", "postgresql://host/name"),
    ],
)  # fmt: skip
def test_a_url_is_shown_without_its_password(url: str, said: str) -> None:
    assert shown(url) == said
