"""How many of a thing, in words."""


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """`1 job`, `0 jobs`, `1,200 jobs`. plural: where it is not the noun with an s."""
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"
