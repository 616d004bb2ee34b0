"""Who may do what, where."""

from typing import Any

import msgspec
import pytest

from tenure.core import access
from tenure.core.errors import Forbidden, InvalidInput
from tenure.core.principal import ACTIONS, EVERYWHERE, Action, Detail, Principal, Role, Scope, scope_of
from tests.core.making import waiting


def principal(role: Role = Role.PRODUCER, **scope: Any) -> Principal:
    return Principal(id="1", name="web", role=role, scope=Scope(**scope))


ALLOWED = {
    Role.PRODUCER: {Action.ENQUEUE, Action.LIST, Action.CANCEL},
    Role.WORKER: {Action.WORK, Action.LIST, Action.DECLARE_KIND},
    Role.VIEWER: {Action.LIST},
    Role.OPERATOR: {
        Action.LIST, Action.CANCEL, Action.REDRIVE, Action.DECLARE_KIND, Action.OPERATE, Action.READ_AUDIT,
    },
    Role.ADMIN: set(Action),
}  # fmt: skip


@pytest.mark.parametrize("role", Role)
@pytest.mark.parametrize("action", Action)
def test_a_role_may_do_what_stands_here_and_no_more(role: Role, action: Action) -> None:
    if action in ALLOWED[role]:
        access.check_action(principal(role), action)
    else:
        with pytest.raises(Forbidden) as refused:
            access.check_action(principal(role), action)
        assert (refused.value.code, refused.value.field) == ("role_forbidden", None)


def test_keys_are_managed_by_admins_alone() -> None:
    assert [role for role in Role if Action.MANAGE_KEYS in ACTIONS[role]] == [Role.ADMIN]


def test_tracebacks_are_for_those_who_operate_and_viewers_see_no_words_of_a_job() -> None:
    seeing = {detail: {role for role in Role if principal(role).sees(detail)} for detail in Detail}
    assert seeing[Detail.TRACEBACK] == {Role.OPERATOR, Role.ADMIN}
    assert seeing[Detail.PAYLOAD] == seeing[Detail.ERROR] == set(Role) - {Role.VIEWER}


@pytest.mark.parametrize(
    ("check", "inside", "outside", "code", "field"),
    [
        (access.check_tenant, "acme", "other", "tenant_forbidden", "tenant"),
        (access.check_kind, "letter", "bill", "kind_forbidden", "type"),
        (access.check_queue, "post", "mail", "queue_forbidden", "queue"),
        (access.check_priority, 10, 11, "priority_forbidden", "priority"),
    ],
)
def test_a_call_outside_the_scope_is_refused_by_its_field(
    check: Any, inside: Any, outside: Any, code: str, field: str
) -> None:
    caller = principal(tenants=frozenset({"acme"}), kinds=frozenset({"letter"}), queues=frozenset({"post"}))
    check(caller, inside)
    with pytest.raises(Forbidden) as refused:
        check(caller, outside)
    assert (refused.value.code, refused.value.field) == (code, field)


def test_what_a_scope_does_not_bound_is_open() -> None:
    caller = principal(tenants=None)
    access.check_tenant(caller, "any")
    access.check_kind(caller, "any")
    access.check_queue(caller, "any")


def test_nobody_works_under_a_name_that_the_credential_does_not_bear() -> None:
    access.check_worker_name(principal(), None)
    access.check_worker_name(principal(), "web")
    with pytest.raises(Forbidden, match="worker_id"):
        access.check_worker_name(principal(), "WEB")


@pytest.mark.parametrize(
    ("tenants", "said", "found"),
    [
        ({"default"}, None, "default"), ({"acme"}, None, "acme"), ({"acme", "default"}, None, "default"),
        (None, None, "default"), (None, "x", "x"), ({"acme", "b"}, "b", "b"),
    ],
)  # fmt: skip
def test_a_new_job_has_the_tenant_that_is_said_or_the_obvious_one(
    tenants: set[str] | None, said: str | None, found: str
) -> None:
    caller = principal(tenants=None if tenants is None else frozenset(tenants))
    assert access.tenant_for(caller, said) == found


def test_a_tenant_outside_the_scope_or_none_of_several_is_refused() -> None:
    caller = principal(tenants=frozenset({"a", "b"}))
    with pytest.raises(Forbidden, match="tenant"):
        access.tenant_for(caller, "c")
    with pytest.raises(InvalidInput) as missing:
        access.tenant_for(caller, None)
    assert (missing.value.field, missing.value.code) == ("tenant", "missing_member")


@pytest.mark.parametrize("member", ["tenant", "kind", "queue"])
def test_a_job_is_seen_only_where_all_of_it_lies_in_the_scope(member: str) -> None:
    caller = principal(tenants=frozenset({"default"}), kinds=frozenset({"k"}), queues=frozenset({"default"}))
    assert access.sees(caller, waiting())
    assert not access.sees(caller, msgspec.structs.replace(waiting(), **{member: "other"}))


def test_a_scope_that_holds_nothing_narrows_to_no_job_and_one_without_bounds_to_every_job() -> None:
    assert access.within(Scope(tenants=frozenset())).tenants == ()
    assert access.within(Scope(tenants=None)).tenants is None


def test_a_list_is_narrowed_to_the_scope_or_to_what_is_said_inside_it() -> None:
    scope = frozenset({"a", "b"})
    assert access.narrowed("tenant", scope, None) == scope
    assert access.narrowed("tenant", scope, "a") == {"a"}
    assert access.narrowed("tenant", None, "z") == {"z"}
    assert access.narrowed("tenant", None, None) is None
    with pytest.raises(Forbidden):
        access.narrowed("tenant", scope, "z")


SCOPE = Scope(tenants=frozenset({"a", "b"}), kinds=frozenset({"k"}), queues=frozenset({"q"}), max_priority=20)


@pytest.mark.parametrize(
    ("change", "wider"),
    [
        ({}, None),
        ({"tenants": frozenset({"a"})}, None),
        ({"tenants": frozenset()}, None),
        ({"max_priority": -32_768}, None),
        ({"tenants": None}, "tenants"),
        ({"tenants": frozenset({"a", "c"})}, "tenants"),
        ({"kinds": None}, "kinds"),
        ({"kinds": frozenset({"other"})}, "kinds"),
        ({"queues": None}, "queues"),
        ({"queues": frozenset({"q", "r"})}, "queues"),
        ({"max_priority": 21}, "max_priority"),
    ],
)
def test_a_key_opens_no_more_than_its_maker_may(change: dict[str, Any], wider: str | None) -> None:
    maker = Principal(id="1", name="chief", role=Role.ADMIN, scope=SCOPE)
    scope = msgspec.structs.replace(SCOPE, **change)
    assert access.wider(maker, Role.PRODUCER, scope) == wider
    if wider is None:
        access.check_no_wider(maker, Role.PRODUCER, scope)
    else:
        with pytest.raises(Forbidden) as refused:
            access.check_no_wider(maker, Role.PRODUCER, scope)
        assert (refused.value.field, refused.value.code.endswith("_forbidden")) == (wider, True)


@pytest.mark.parametrize("maker", Role)
@pytest.mark.parametrize("made", Role)
def test_a_key_of_a_role_is_made_only_by_one_that_may_all_of_it(maker: Role, made: Role) -> None:
    wider = access.wider(Principal(id="1", name="x", role=maker, scope=EVERYWHERE), made, Scope())
    assert (wider is None) == (ALLOWED[made] <= ALLOWED[maker])
    assert wider in (None, "role")


def test_a_first_admin_can_give_out_every_scope_and_priority() -> None:
    first = Principal(id="1", name="root", role=Role.ADMIN, scope=scope_of(Role.ADMIN))
    for role in Role:
        assert access.wider(first, role, scope_of(role, tenants=["*"], max_priority="critical")) is None
        assert access.wider(first, role, scope_of(role)) is None


def test_what_is_not_said_of_a_scope_is_the_default_tenant_and_medium_or_everything_for_who_operates() -> None:
    assert scope_of(Role.PRODUCER) == Scope(tenants=frozenset({"default"}), max_priority=10)
    assert scope_of(Role.WORKER, tenants=["*", "a"]).tenants is None
    assert scope_of(Role.OPERATOR) == scope_of(Role.ADMIN) == Scope(tenants=None, max_priority=32_767)
    assert scope_of(Role.ADMIN, max_priority="low", tenants=["a"]) == Scope(tenants=frozenset({"a"}), max_priority=0)
    assert scope_of(Role.PRODUCER, max_priority="critical", kinds=["a"]) == Scope(
        kinds=frozenset({"a"}), max_priority=30
    )


@pytest.mark.parametrize(
    ("said", "field"),
    [
        ({"tenants": []}, "tenants"), ({"kinds": ["a", " "]}, "kinds[1]"), ({"queues": ["\0"]}, "queues[0]"),
        ({"max_priority": "urgent"}, "max_priority"), ({"max_priority": 2**15}, "max_priority"),
    ],
)  # fmt: skip
def test_a_scope_that_cannot_be_is_refused_by_name(said: Any, field: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        scope_of(Role.PRODUCER, **said)
    assert refused.value.field == field


@pytest.mark.parametrize(
    ("role", "action", "hint"),
    [
        (Role.WORKER, Action.REDRIVE, "Redrive needs operator or admin."),
        (Role.OPERATOR, Action.MANAGE_KEYS, "Manage keys needs admin."),
        (Role.VIEWER, Action.CANCEL, "Cancel needs producer, operator or admin."),
    ],
)
def test_a_role_that_may_not_hears_which_roles_may(role: Role, action: Action, hint: str) -> None:
    with pytest.raises(Forbidden) as refused:
        access.check_action(Principal(id="i", name="n", role=role), action)
    assert refused.value.hint == hint
