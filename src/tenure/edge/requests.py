"""What bodies and queries of requests have in common. An unknown member is refused."""

from typing import Annotated

import msgspec
from msgspec import Meta

from tenure.edge.scalars import Id, Name, PageSize, Words, WordsOfQuery


class Body(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base of all of them."""


class Page(Body, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """cursor: `next` of the page before."""

    cursor: Annotated[int, Meta(ge=1, le=2**63 - 1)] | None = None
    limit: PageSize = 50


class PageInOrder(Body, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """cursor: `next` of the page before."""

    cursor: Annotated[int, Meta(ge=1, le=2**31 - 1)] | None = None
    limit: PageSize = 500


class PageOfIds(Body, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """cursor: `next` of the page before."""

    cursor: Id | None = None
    limit: PageSize = 500


class PageOfNames(Body, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """cursor: `next` of the page before."""

    cursor: Name | None = None
    limit: PageSize = 500


class Why(Body, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """why: kept in the audit."""

    why: Words = ""


class WhyInQuery(Body, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """why: kept in the audit."""

    why: WordsOfQuery = ""
