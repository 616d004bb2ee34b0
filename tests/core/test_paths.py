"""Paths of members: readable where names are plain, and always the same way back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenure.core.errors import InvalidInput
from tenure.core.payloads import documents, paths

STEPS = st.lists(st.one_of(st.integers(0, 10**6), st.text(min_size=0, max_size=8)))


@given(STEPS)
def test_a_path_is_taken_apart_into_the_steps_it_was_made_of(steps: list[str | int]) -> None:
    assert paths.steps(paths.inside("payload", steps)) == ["payload", *steps]
    place: paths.Steps = "payload"
    for step in steps:
        place = (place, step)
    assert paths.written(place) == paths.inside("payload", steps)


@pytest.mark.parametrize(
    ("path", "steps"),
    [
        ("payload.items[3].name", ["payload", "items", 3, "name"]),
        ('payload["a.b"]["[0]"]', ["payload", "a.b", "[0]"]),
        ('payload["a b\\"c"]', ["payload", 'a b"c']),
        ('["a.b"].c', ["a.b", "c"]),
        ("versions[...].x", ["versions"]),
        ("", []),
    ],
)
def test_what_cannot_be_read_of_a_path_is_left_out_with_all_that_follows(path: str, steps: list[str | int]) -> None:
    assert paths.steps(path) == steps


@given(STEPS, st.sampled_from(["jobs[3]", "claim"]))
def test_a_path_that_is_seen_from_outside_has_the_steps_of_both(steps: list[str | int], outer: str) -> None:
    within = paths.inside("", [*steps, "x"])
    assert paths.steps(paths.below(outer, within)) == [*paths.steps(outer), *steps, "x"]


def test_a_member_with_a_dot_in_its_name_is_refused_by_a_path_that_leads_to_it() -> None:
    with pytest.raises(InvalidInput) as refused:
        documents.dump("payload", {"a.b": {"c[0]": [1, float("nan")]}})
    assert refused.value.field == 'payload["a.b"]["c[0]"][1]'
