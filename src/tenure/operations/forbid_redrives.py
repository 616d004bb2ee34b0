"""Forbid redrives of selections in the whole store, and allow them again."""

from tenure.core.secrecy.cleaning import reason
from tenure.core.switch import REDRIVES, Switch
from tenure.stores.protocol import AuditLine, Verbs
from tenure.stores.script import Script


def forbid_redrives(verbs: Verbs, *, who: str, why: str = "") -> Script[bool]:
    """No redrive starts, and those that run send nothing more. Whether that was not so before."""
    now = yield from verbs.now()
    done = yield from verbs.put_switch(Switch(name=REDRIVES, who=who, why=reason(why), at=now))
    if done:
        yield from verbs.audit(_line("forbid_redrives", who, why))
    return done


def allow_redrives(verbs: Verbs, *, who: str, why: str = "") -> Script[bool]:
    """Those that run go on. Whether they were forbidden."""
    done = yield from verbs.drop_switch(REDRIVES)
    if done:
        yield from verbs.audit(_line("allow_redrives", who, why))
    return done


def _line(verb: str, who: str, why: str) -> AuditLine:
    return AuditLine(who=who, verb=verb, subject="redrives", why=reason(why))
