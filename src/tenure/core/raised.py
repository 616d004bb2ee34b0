"""What everything that the product raises has in common."""

from typing import Any


class Raised(Exception):
    """Is whole again where it was pickled, as by a pool of processes, or copied, whatever its `__init__` takes."""

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self).__new__, (type(self), *self.args), self.__dict__
