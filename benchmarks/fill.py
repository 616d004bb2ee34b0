"""Jobs by the thousand, through the typed face, or a million rows at once by the database itself."""

from benchmarks import facts


def enqueue(url: str, jobs: int, kind: str = "noop") -> None:
    """As a producer does it."""
    from benchmarks import jobs as declared
    from tenure import Tenure

    app = Tenure(url)
    app.tasks.update(declared.app.tasks)
    app.declare_kinds()
    task = app.tasks[kind]
    for start in range(0, jobs, 1000):
        app.enqueue_many([task.item(number=n) for n in range(start, min(start + 1000, jobs))])
    app.close()


def backlog(
    url: str,
    jobs: int,
    *,
    state: str = "ready",
    seconds_ahead: int = 0,
    tenant: str = "default",
    tenants: int = 0,
    priority: int = 0,
) -> None:
    """Copies of one enqueued job, made by the database: too many to be enqueued in a benchmark's time.

    tenants: dealt out to so many, whose names begin with `tenant`.
    """
    sqlite = url.startswith("sqlite")
    columns = _columns(url)
    template = "(SELECT max(seq) FROM tenure_jobs WHERE attempt = 0)"
    number = "n.i" if sqlite else "n"
    changed = {
        "seq": "nextval('tenure_job_seq')",
        "id": "lower(hex(randomblob(16)))" if sqlite else "gen_random_uuid()",
        "idempotency_key": "NULL",
        "state": f"'{state}'",
        "priority": str(priority),
        "tenant": f"'{tenant}' || ({number} - {number} / {tenants} * {tenants})" if tenants else f"'{tenant}'",
        "run_at": f"run_at + {seconds_ahead * 1_000_000}" if sqlite else f"run_at + interval '{seconds_ahead} s'",
        "ended_at": "updated_at" if state == "succeeded" else "NULL",
    }
    values = ", ".join(changed.get(name, name) for name in columns)
    numbers = (
        f"(WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT {jobs}) SELECT i FROM n)"
        if sqlite
        else f"generate_series(1, {jobs})"
    )
    facts.ask(
        url,
        f"INSERT INTO tenure_jobs ({', '.join(columns)}) SELECT {values} FROM tenure_jobs, {numbers} AS n "
        f"WHERE seq = {template}",
    )
    facts.ask(url, "ANALYZE" if sqlite else "VACUUM ANALYZE")


def _columns(url: str) -> list[str]:
    if url.startswith("sqlite"):
        rows = facts.ask(url, "SELECT name FROM pragma_table_info('tenure_jobs') WHERE name <> 'seq'")
    else:
        rows = facts.ask(url, "SELECT column_name FROM information_schema.columns WHERE table_name = 'tenure_jobs'")
    return [name for (name,) in rows]
