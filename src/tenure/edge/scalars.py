"""The scalar types of bodies, with the limits that the schema shows. `core.fields` refuses the rest, in its words."""

from datetime import datetime
from typing import Annotated, Final

from msgspec import Meta

from tenure.core import defaults, fields
from tenure.core.kind import REMEDY_CHARACTERS, VERSIONS
from tenure.core.retry import LONGEST_WAIT
from tenure.core.secrecy.secret_paths import PATH_CHARACTERS
from tenure.edge.words import RETRIES_RANGE

_BLANK: Final = r"\u0009-\u000d\u001c-\u0020\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
"""What Unicode calls white space, spelled out: `\\s` is another set in JavaScript than in Python."""

_SOMETHING: Final = {"must": "must have a character that is not white space"}
_SAYS_SOMETHING: Final = rf"^[^\u0000]*[^\u0000{_BLANK}][^\u0000]*$"

Name = Annotated[
    str, Meta(min_length=1, max_length=defaults.NAME_CHARACTERS, pattern=_SAYS_SOMETHING, extra=_SOMETHING)
]
Key = Annotated[str, Meta(min_length=1, max_length=defaults.KEY_BYTES, pattern=_SAYS_SOMETHING, extra=_SOMETHING)]
Code = Annotated[
    str, Meta(min_length=1, max_length=defaults.CODE_CHARACTERS, pattern=_SAYS_SOMETHING, extra=_SOMETHING)
]
Remedy = Annotated[str, Meta(min_length=1, max_length=REMEDY_CHARACTERS, pattern=_SAYS_SOMETHING, extra=_SOMETHING)]
SecretPath = Annotated[str, Meta(min_length=1, max_length=PATH_CHARACTERS, pattern=_SAYS_SOMETHING, extra=_SOMETHING)]
Words = Annotated[str, Meta(max_length=100_000, description="Cleaned, and cut to 4 KiB.")]
CLEANED: Final = "cleaned"
"""In the schema of a text of which NUL and lone surrogates are replaced, not refused."""

CodeReported = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=defaults.CODE_CHARACTERS,
        pattern=rf"[^{_BLANK}]",
        extra=_SOMETHING,
        extra_json_schema={CLEANED: True},
    ),
]
WordsReported = Annotated[Words, Meta(extra_json_schema={CLEANED: True})]
WordsOfQuery = Annotated[str, Meta(max_length=1000, description="Cleaned.")]
"""In any script they fit into a request line."""
Id = Annotated[str, Meta(description="A UUID.", extra_json_schema={"format": "uuid"})]
Number = Annotated[int, Meta(ge=fields.PRIORITY_RANGE[0], le=fields.PRIORITY_RANGE[1])]
Retries = Annotated[int, Meta(ge=RETRIES_RANGE[0], le=RETRIES_RANGE[1])]
Attempts = Annotated[int, Meta(ge=fields.ATTEMPTS_RANGE[0], le=fields.ATTEMPTS_RANGE[1])]
Version = Annotated[int, Meta(ge=VERSIONS[0], le=VERSIONS[1])]
RunTime = Annotated[float, Meta(ge=fields.RUN_TIME_RANGE[0], le=fields.RUN_TIME_RANGE[1])]
Seconds = Annotated[float, Meta(ge=0, le=fields.LONGEST_DELAY)]
Wait = Annotated[float, Meta(ge=0, le=LONGEST_WAIT)]
RetryCount = Annotated[
    int, Meta(description="Requeues that cost a try, since the last redrive; stays at max_retries on the last failure.")
]
TriesLeft = Annotated[int, Meta(description="Tries that remain, this one included.")]
Instant = Annotated[datetime, Meta(tz=True)]
Token = Annotated[str, Meta(min_length=1, max_length=500, description="The lease token that the claim gave.")]
PageSize = Annotated[int, Meta(ge=1, le=500)]
