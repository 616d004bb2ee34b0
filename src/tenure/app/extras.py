"""What is not installed, and how to get it."""

from tenure.core.errors import Misconfigured


def lacking(what: str, error: ModuleNotFoundError, extra: str | None) -> Misconfigured:
    """The refusal of `what`. extra: of this package; None: the module's own name is that of its package.

    Raises the error itself where a module of this package is missing: that is a fault of the installation.
    """
    if (error.name or "").partition(".")[0] == "tenure":
        raise error
    how = f"Run pip install {error.name}." if extra is None else f"{installing(extra)}."
    return Misconfigured(f"{what} needs {error.name}, which is not installed", hint=how)


def installing(extra: str) -> str:
    """What to run for an extra of this package, wherever the package came from."""
    return f"Run pip install 'tenure[{extra}]', in a clone of its source pip install '.[{extra}]'"
