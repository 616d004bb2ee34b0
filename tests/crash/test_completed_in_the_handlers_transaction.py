"""A job that its handler completes in a transaction of its own: the domain write and the success are one."""

from tests.crash.harness import Site, check_history
from tests.crash.sites import domain_rows


def test_a_kill_before_the_commit_takes_the_domain_write_and_the_success_together(site: Site) -> None:
    job = site.enqueue("completes_itself", how="kill_before")
    assert site.start().wait() == -9
    assert domain_rows(site) == []
    site.start()
    (ended,) = site.ended(job)
    history = site.history(job)
    check_history([ended], {job: history})
    assert [attempt.outcome for attempt in history] == ["lease_expired", "succeeded"]
    assert domain_rows(site) == [(job, 2)]
    assert ended.result == '{"attempt":2}'


def test_a_kill_after_the_commit_leaves_both_and_no_second_run(site: Site) -> None:
    job = site.enqueue("completes_itself", how="kill_after")
    assert site.start().wait() == -9
    assert site.job(job).state == "succeeded"
    second = site.start().ready()
    marker = site.enqueue("ledger", n=1)
    site.ended(marker)
    assert second.leave() == 0
    assert [attempt.outcome for attempt in site.history(job)] == ["succeeded"]
    assert domain_rows(site) == [(job, 1)]
    assert len(site.lines(job)) == 1


def test_a_completion_that_the_handler_rolls_back_is_a_failed_attempt_and_is_tried_again(site: Site) -> None:
    job = site.enqueue("completes_itself", how="rollback")
    site.start()
    (ended,) = site.ended(job)
    history = site.history(job)
    check_history([ended], {job: history})
    assert [(attempt.outcome, attempt.error_code) for attempt in history] == [
        ("failed", "completion_rolled_back"),
        ("succeeded", None),
    ]
    assert domain_rows(site) == [(job, 2)]


def test_a_committed_completion_is_no_failure_in_the_log_and_one_that_was_rolled_back_is_told(site: Site) -> None:
    committed = site.enqueue("completes_itself", how="")
    rolled_back = site.enqueue("completes_itself", how="rollback")
    worker = site.start()
    site.ended(committed, rolled_back)
    assert worker.leave() == 0
    about = [line for line in worker.log.splitlines() if "WARNING" in line]
    assert [line.partition("attempt ")[2] for line in about] == ["1: its completion was not committed"]
    assert rolled_back in about[0]
