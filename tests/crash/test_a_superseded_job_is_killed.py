"""A worker is killed while it runs a job that has a newer one: the newer one runs, the older one does not come back."""

from tenure.core.states import State
from tests.crash.harness import Site, check_history


def test_a_job_with_a_newer_one_is_not_run_again_after_its_worker_was_killed(site: Site) -> None:
    gate = site.folder / "gate"
    key = {"supersession_key": "k"}
    older = site.enqueue("waits_at_a_gate", using=key, gate=str(gate))
    killed = site.start()
    site.started(older)
    newer = site.enqueue("waits_at_a_gate", using=key, gate=str(gate))
    killed.send(9)
    assert killed.wait() == -9, killed.log
    gate.touch()
    site.start()
    ended = {job.id: job for job in site.ended(older, newer)}
    check_history([ended[newer]], site.histories([newer]))
    gone = ended[older]
    assert (gone.state, gone.end_code, gone.superseded_by) == (State.CANCELLED, "superseded", newer)
    assert [attempt.outcome for attempt in site.history(older)] == ["lease_expired"]
    assert ended[newer].state is State.SUCCEEDED
