"""A handler's signature as the contract of its payload."""

import inspect
import types
import typing
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Annotated, Any, Final

import msgspec

from tenure.app import values
from tenure.app.handling.context import Context
from tenure.core.errors import InvalidInput, Misconfigured

_NOT_GIVEN: Final[Any] = object()
_BY_NAME: Final = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
_ZONED: Final = Annotated[datetime, msgspec.Meta(tz=True)]


class Signature:
    """The members of the payload are the parameters of `function`, but for a leading context.

    Raises Misconfigured for parameters that JSON members cannot fill.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        hints = _hints(function)
        parameters = list(inspect.signature(function).parameters.values())
        self.wants_context = bool(parameters) and _is_context(parameters[0], hints)
        members = parameters[1:] if self.wants_context else parameters
        self.names = tuple(_member(p) for p in members)
        self.defaults = {p.name: p.default for p in members if p.default is not p.empty}
        self._text_keys = any(_has_keys_of_numbers(hints.get(name)) for name in self.names)
        self.has_inputs = any(_may_hold_inputs(hints.get(name)) for name in self.names)
        self.model = _model(function, members, hints)
        self._decode = msgspec.json.Decoder(self.model, dec_hook=values.typed).decode

    def bind(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        """The call's arguments by name; positions count from the first member."""
        if len(args) > len(self.names):
            raise InvalidInput("payload", f"has {len(args)} positional values for {len(self.names)} parameters")
        by_name = dict(zip(self.names, args, strict=False))
        for name in by_name:
            if name in kwargs:
                raise InvalidInput(f"payload.{name}", "is given twice")
        return by_name | kwargs

    def sent(self, arguments: dict[str, Any]) -> Any:
        """The payload as plain JSON values, before defaults. Raises InvalidInput naming the member."""
        if values.is_flat(arguments):
            plain = dict(arguments)
            self._converted(plain)
            return plain
        plain = values.plain("payload", arguments, text_keys=self._text_keys)
        self._converted(plain)
        values.check_zones("payload", arguments, plain, text_keys=self._text_keys)
        return plain

    def arguments(self, payload: str) -> dict[str, Any]:
        """The arguments that a stored payload stands for; members not given are left to the function's defaults.

        Raises InvalidInput.
        """
        try:
            filled = self._decode(payload)
        except msgspec.ValidationError as error:
            raise values.refusal("payload", error) from error
        except msgspec.DecodeError as error:
            raise InvalidInput("payload", f"is not JSON: {error}", code="invalid_json") from error
        return self._given(filled)

    def arguments_of(self, value: Any) -> dict[str, Any]:
        """The same for a plain JSON value."""
        return self._given(self._converted(value))

    def schema(self) -> str | None:
        """The JSON Schema of the payload as text; None where a member's type has none."""
        try:
            return msgspec.json.encode(msgspec.json.schema(self.model, schema_hook=values.schema)).decode()
        except TypeError:
            return None

    def _converted(self, value: Any) -> Any:
        try:
            return msgspec.convert(value, self.model, str_keys=True, dec_hook=values.typed)
        except msgspec.ValidationError as error:
            raise values.refusal("payload", error) from error

    def _given(self, filled: Any) -> dict[str, Any]:
        return {name: value for name in self.names if (value := getattr(filled, name)) is not _NOT_GIVEN}


def _hints(function: Callable[..., Any]) -> Mapping[str, Any]:
    known = {} if "Context" in getattr(function, "__globals__", {}) else {"Context": Context}
    try:
        return typing.get_type_hints(function, localns=known, include_extras=True)
    except NameError as error:
        raise Misconfigured(
            f"an annotation of {function.__qualname__} cannot be resolved: {error}",
            hint="Import the type at the module's top, outside `if TYPE_CHECKING`.",
        ) from error


def _is_context(parameter: inspect.Parameter, hints: Mapping[str, Any]) -> bool:
    hint = hints.get(parameter.name)
    return hint is Context or (hint is None and parameter.name == "ctx")


def _member(parameter: inspect.Parameter) -> str:
    if parameter.kind not in _BY_NAME:
        raise Misconfigured(
            f"the parameter {parameter} cannot be filled by name",
            hint="Name each member of the payload; take `data: dict` for free ones.",
        )
    return parameter.name


def _model(function: Callable[..., Any], members: list[inspect.Parameter], hints: Mapping[str, Any]) -> Any:
    columns: list[Any] = []
    for member in members:
        hint = _with_zone(hints.get(member.name, Any))
        without_default = member.default is inspect.Parameter.empty
        columns.append((member.name, hint) if without_default else (member.name, hint, _left_out()))
    try:
        model = msgspec.defstruct("Payload", columns, kw_only=True, forbid_unknown_fields=True)
        msgspec.json.Decoder(model, dec_hook=values.typed)
    except TypeError as error:
        raise Misconfigured(
            f"a parameter of {function.__qualname__} has a type that JSON cannot carry: {error}"
        ) from error
    return model


def _left_out() -> Any:
    """The default of a member with a default of its own: a factory, since a JSON Schema would show a value."""
    return msgspec.field(default_factory=lambda: _NOT_GIVEN)


def _with_zone(hint: Any) -> Any:
    """The hint with every datetime asked to carry its time zone."""
    if hint is datetime:
        return _ZONED
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        return typing.Union[tuple(_with_zone(item) for item in inner)]  # noqa: UP007 (made at run time)
    if origin in (list, tuple, set, frozenset, dict):
        return origin[tuple(_with_zone(item) for item in inner)]
    return hint


def _has_keys_of_numbers(hint: Any) -> bool:
    inner = typing.get_args(hint)
    if typing.get_origin(hint) is dict and inner[0] not in (str, Any):
        return True
    return any(_has_keys_of_numbers(item) for item in inner)


def _may_hold_inputs(hint: Any) -> bool:
    """Whether a value of this type may hold an InputRef: one itself, or a class of members of their own."""
    inner = typing.get_args(hint)
    if inner:
        return any(_may_hold_inputs(item) for item in inner)
    return isinstance(hint, type) and (issubclass(hint, msgspec.Struct) or hasattr(hint, "__dataclass_fields__"))
