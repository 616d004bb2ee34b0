"""File systems of fsspec on a local folder, in which a process can die within the step that gives a file its name.

`renaming://`   what it inherits is known to rename; a copy there dies half way, as a long one of real files does
`copying://`    as an object store: a copy is seen when it is whole

`TENURE_TEST_DIES_IN_PROMOTION` says when: `before` the step, `after` it. Unset, it lives.
"""

import os
import signal
from pathlib import Path
from typing import Any, Final

import fsspec  # type: ignore[import-untyped]
from fsspec.implementations.local import LocalFileSystem  # type: ignore[import-untyped]

DIES: Final = "TENURE_TEST_DIES_IN_PROMOTION"
MOMENTS: Final = ("before", "after")
SCHEMES: Final = ("renaming", "copying")


def _die(moment: str) -> None:
    if os.environ.get(DIES) == moment:
        os.kill(os.getpid(), signal.SIGKILL)


class Renaming(LocalFileSystem):  # type: ignore[misc]
    protocol: Any = "renaming"

    @classmethod
    def _strip_protocol(cls, path: Any) -> Any:
        return super()._strip_protocol(str(path).partition("://")[2] if "://" in str(path) else path)

    def mv(self, path1: str, path2: str, **options: Any) -> None:
        _die("before")
        super().mv(path1, path2, **options)
        _die("after")

    def cp_file(self, path1: str, path2: str, **_options: Any) -> None:
        content = Path(path1).read_bytes()
        Path(path2).write_bytes(content[: len(content) // 2])
        os.kill(os.getpid(), signal.SIGKILL)


class Copying(Renaming):
    protocol = ("copying", "memory")

    def cp_file(self, path1: str, path2: str, **_options: Any) -> None:
        _die("before")
        whole = Path(f"{path2}.whole")
        whole.write_bytes(Path(path1).read_bytes())
        whole.replace(path2)
        _die("after")


def register() -> None:
    for scheme, kind in zip(SCHEMES, (Renaming, Copying), strict=True):
        fsspec.register_implementation(scheme, kind, clobber=True)
