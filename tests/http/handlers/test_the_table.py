"""The table of operations and the handlers say the same."""

from tenure.edge.operations import TABLE
from tenure.http.handlers.table import HANDLERS


def test_every_operation_has_its_handler_and_no_handler_is_left_over() -> None:
    assert [operation.name for operation in TABLE] == list(HANDLERS)
