"""The application of `tenure demo`: three small jobs with three fates."""

from tenure.app.handling.context import Context
from tenure.app.tenure import Tenure
from tenure.core.outcomes import Retry, Terminal

app = Tenure()


@app.task(backoff=(0.2, 0.2))
def greet(ctx: Context, name: str, trouble: int = 0) -> dict[str, str]:
    """Greets, after so many attempts that meet trouble."""
    if ctx.attempt.number <= trouble:
        raise Retry("line_busy", f"no answer from {name}'s telephone")
    return {"said": f"Good morning, {name}."}


@app.task()
def dial(number: str) -> None:
    """Knows when trying again is no use."""
    raise Terminal("no_such_number", f"{number} is not in the directory")
