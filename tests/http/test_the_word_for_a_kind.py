"""What is said to a body that names the kind as everywhere else."""

import pytest

from tenure.core.errors import InvalidInput
from tenure.edge.limits import SetLimit, SetWeight
from tenure.http.bodies.converting import converted


def test_a_body_that_names_the_kind_by_its_other_word_is_told_the_word() -> None:
    with pytest.raises(InvalidInput) as refused:
        converted(SetLimit, {"kind": "sum", "concurrency": 2})
    assert (refused.value.code, "`type`" in refused.value.hint) == ("unknown_member", True)
    with pytest.raises(InvalidInput) as other:
        converted(SetWeight, {"kind": "sum", "weight": 2})
    assert "`type`" not in other.value.hint
