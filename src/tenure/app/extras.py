"""What is not installed, and how to get it."""

from tenure.core.errors import Misconfigured


def lacking(what: str, error: ModuleNotFoundError, extra: str | None) -> Misconfigured:
    """The refusal of `what`. extra: of this package; None: the module's own name is that of its package.

    Raises the error itself where a module of this package is missing: that is a fault of the installation.
    """
    if (error.name or "").partition(".")[0] == "tenure":
        raise error
    package = error.name if extra is None else f"'tenure[{extra}]'"
    return Misconfigured(f"{what} needs {error.name}, which is not installed", hint=f"Run pip install {package}.")
