CREATE TABLE tenure_meta (
    name TEXT PRIMARY KEY,
    value NOT NULL
) WITHOUT ROWID;

INSERT INTO tenure_meta VALUES
    ('digest_key', randomblob(32)),
    ('database_id', lower(hex(randomblob(16)))),
    ('clock', 0),
    ('fencing', 0);

-- Instants are microseconds since 1970 in UTC, documents are JSON text. The bulky columns stand last.
CREATE TABLE tenure_jobs (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    tenant TEXT NOT NULL,
    queue TEXT NOT NULL,
    kind TEXT NOT NULL,
    version INTEGER NOT NULL,
    priority INTEGER NOT NULL,
    state TEXT NOT NULL,
    revision INTEGER NOT NULL DEFAULT 0,
    args_digest TEXT NOT NULL,
    idempotency_key TEXT,
    tags TEXT NOT NULL DEFAULT '[]',
    trace TEXT,
    created_at INTEGER NOT NULL,
    run_at INTEGER NOT NULL,
    deadline INTEGER,
    ended_at INTEGER,
    updated_at INTEGER NOT NULL,
    max_attempts INTEGER NOT NULL,
    run_time_limit REAL NOT NULL,
    policy TEXT NOT NULL DEFAULT '{}',
    attempt INTEGER NOT NULL DEFAULT 0,
    tries INTEGER NOT NULL DEFAULT 0,
    unknowns INTEGER NOT NULL DEFAULT 0,
    losses INTEGER NOT NULL DEFAULT 0,
    throttles INTEGER NOT NULL DEFAULT 0,
    releases INTEGER NOT NULL DEFAULT 0,
    returns INTEGER NOT NULL DEFAULT 0,
    snoozes INTEGER NOT NULL DEFAULT 0,
    first_error_code TEXT,
    last_error_code TEXT,
    end_code TEXT,
    superseded_by TEXT,
    pruned_at INTEGER,
    payload_expired_at INTEGER,
    lease_token TEXT,
    fencing_token INTEGER,
    claim_id TEXT,
    worker TEXT,
    ran_version INTEGER,
    lease_seconds REAL,
    started_at INTEGER,
    heartbeat_at INTEGER,
    lease_expires_at INTEGER,
    must_end_at INTEGER,
    progress_at INTEGER,
    cancel_requested_at INTEGER,
    order_key TEXT,
    order_place INTEGER,
    on_failure TEXT,
    holder TEXT,
    progress TEXT,
    error TEXT,
    payload TEXT,
    result TEXT,
    supersession_key TEXT,
    supersedes TEXT,
    burst_at INTEGER
);

CREATE INDEX tenure_jobs_ready ON tenure_jobs (queue, priority DESC, tenant, kind, version, run_at)
    WHERE state = 'ready';
CREATE INDEX tenure_jobs_scheduled ON tenure_jobs (run_at)
    WHERE state = 'scheduled';
-- With those that are ready: what a queue's or a tenant's capacity is held against.
CREATE INDEX tenure_jobs_waiting ON tenure_jobs (queue, tenant, kind)
    WHERE state IN ('scheduled', 'blocked');
CREATE INDEX tenure_jobs_running ON tenure_jobs (kind, tenant)
    WHERE state = 'running';
CREATE UNIQUE INDEX tenure_jobs_keys ON tenure_jobs (tenant, kind, idempotency_key)
    WHERE idempotency_key IS NOT NULL;
-- Of the jobs of one supersession key at most one stands (`core.flow.supersession.stands`). And all of them, the newest last.
CREATE UNIQUE INDEX tenure_jobs_standing ON tenure_jobs (tenant, kind, supersession_key)
    WHERE supersession_key IS NOT NULL AND superseded_by IS NULL AND pruned_at IS NULL
        AND state IN ('scheduled', 'ready', 'blocked', 'failed');
CREATE INDEX tenure_jobs_superseding ON tenure_jobs (tenant, kind, supersession_key)
    WHERE supersession_key IS NOT NULL;
-- The lines of order keys: who waits, runs, or stops its key. Of two heads, which stand at 0, it refuses the second.
CREATE UNIQUE INDEX tenure_jobs_line ON tenure_jobs (tenant, order_key, order_place)
    WHERE order_place IS NOT NULL;
CREATE INDEX tenure_jobs_deadlines ON tenure_jobs (deadline)
    WHERE deadline IS NOT NULL AND state IN ('scheduled', 'ready', 'blocked');
-- Of what has ended: with its payload, without it, or only a tombstone. A row is in one of the three.
CREATE INDEX tenure_jobs_ended ON tenure_jobs (state, ended_at)
    WHERE ended_at IS NOT NULL AND payload_expired_at IS NULL;
CREATE INDEX tenure_jobs_without_payload ON tenure_jobs (state, ended_at)
    WHERE payload_expired_at IS NOT NULL AND pruned_at IS NULL;
CREATE INDEX tenure_jobs_tombstones ON tenure_jobs (ended_at)
    WHERE pruned_at IS NOT NULL;
-- With the id a page of dead letters begins where the one before ended, also among many that ended at one instant.
CREATE INDEX tenure_jobs_failed ON tenure_jobs (ended_at, id)
    WHERE state = 'failed' AND pruned_at IS NULL;
-- Of jobs that say themselves how long their payload is kept, by when that is over. A damaged policy says nothing.
CREATE INDEX tenure_jobs_payloads ON tenure_jobs (
    ended_at + CAST(round(json_extract(policy, '$.payload_retention') * 1000000) AS INTEGER)
)
    WHERE ended_at IS NOT NULL AND payload_expired_at IS NULL AND policy <> '{}'
        AND CASE WHEN json_valid(policy) THEN json_type(policy, '$.payload_retention') IN ('integer', 'real') END;

CREATE TABLE tenure_attempts (
    job_id TEXT NOT NULL,
    number INTEGER NOT NULL,
    fencing_token INTEGER NOT NULL,
    token_hash TEXT NOT NULL,
    worker TEXT NOT NULL,
    holder TEXT,
    version INTEGER NOT NULL,
    ran_version INTEGER,
    claimed_run_at INTEGER NOT NULL,
    started_at INTEGER NOT NULL,
    heartbeat_at INTEGER,
    lease_lost_at INTEGER,
    ended_at INTEGER NOT NULL,
    ended_by TEXT NOT NULL,
    outcome TEXT NOT NULL,
    begun INTEGER NOT NULL DEFAULT 1,
    error_class TEXT,
    error_code TEXT,
    error TEXT,
    traceback TEXT,
    progress TEXT,
    after_cancel INTEGER NOT NULL DEFAULT 0,
    after_deadline INTEGER NOT NULL DEFAULT 0,
    late_report TEXT,
    PRIMARY KEY (job_id, number)
) WITHOUT ROWID;

CREATE TABLE tenure_kinds (
    name TEXT PRIMARY KEY,
    versions TEXT NOT NULL,
    schema TEXT,
    queue TEXT NOT NULL,
    max_attempts INTEGER NOT NULL,
    run_time_limit REAL NOT NULL,
    policy TEXT NOT NULL,
    priority INTEGER NOT NULL,
    remedies TEXT NOT NULL DEFAULT '{}',
    secret TEXT NOT NULL DEFAULT '[]',
    secret_result TEXT NOT NULL DEFAULT '[]'
) WITHOUT ROWID;

CREATE TABLE tenure_slowdowns (
    tenant TEXT NOT NULL,
    kind TEXT NOT NULL,
    until INTEGER NOT NULL,
    code TEXT NOT NULL,
    PRIMARY KEY (tenant, kind)
) WITHOUT ROWID;

CREATE TABLE tenure_audit (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL,
    who TEXT NOT NULL,
    verb TEXT NOT NULL,
    subject TEXT NOT NULL,
    tenant TEXT,
    kind TEXT,
    queue TEXT,
    why TEXT NOT NULL,
    detail TEXT NOT NULL
);

CREATE TABLE tenure_keys (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    role TEXT NOT NULL,
    scope TEXT NOT NULL,
    hash TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    created_by TEXT NOT NULL,
    expires_at INTEGER,
    revoked_at INTEGER
) WITHOUT ROWID;

CREATE UNIQUE INDEX tenure_keys_name ON tenure_keys (name)
    WHERE revoked_at IS NULL;

CREATE TABLE tenure_effects (
    tenant TEXT NOT NULL,
    name TEXT NOT NULL,
    key TEXT NOT NULL,
    job_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    fencing_token INTEGER NOT NULL,
    token_hash TEXT NOT NULL,
    args_digest TEXT NOT NULL,
    state TEXT NOT NULL,
    request_id TEXT NOT NULL,
    tries INTEGER NOT NULL,
    can_settle INTEGER NOT NULL,
    started_at INTEGER NOT NULL,
    call_ends_by INTEGER NOT NULL,
    result TEXT,
    shared_key TEXT,
    error_code TEXT,
    error TEXT,
    settled_at INTEGER,
    settled_by TEXT,
    updated_at INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    PRIMARY KEY (tenant, name, key)
);

CREATE INDEX tenure_effects_job ON tenure_effects (job_id, name, key);
CREATE INDEX tenure_effects_open ON tenure_effects (updated_at)
    WHERE state IN ('pending', 'uncertain');

CREATE TABLE tenure_checkpoints (
    job_id TEXT NOT NULL,
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    fencing_token INTEGER NOT NULL,
    saved_at INTEGER NOT NULL,
    PRIMARY KEY (job_id, name)
);

CREATE TABLE tenure_redrives (
    id TEXT PRIMARY KEY,
    revision INTEGER NOT NULL,
    state TEXT NOT NULL,
    which TEXT NOT NULL,
    canary INTEGER NOT NULL,
    pace REAL NOT NULL,
    stop_share REAL NOT NULL,
    stop_window INTEGER NOT NULL,
    single_attempts INTEGER NOT NULL,
    total INTEGER NOT NULL,
    waiting INTEGER NOT NULL,
    redriven INTEGER NOT NULL,
    succeeded INTEGER NOT NULL,
    failed_again INTEGER NOT NULL,
    left_out INTEGER NOT NULL,
    canary_open INTEGER NOT NULL,
    stop_code TEXT,
    stop_reason TEXT,
    who TEXT NOT NULL,
    why TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    counts_from INTEGER NOT NULL,
    ended_at INTEGER,
    canary_said INTEGER,
    sendable INTEGER NOT NULL,
    frozen_at INTEGER,
    frozen_id TEXT
);

CREATE INDEX tenure_redrives_open ON tenure_redrives (id)
    WHERE state IN ('freezing', 'running') OR redriven > 0;

CREATE TABLE tenure_redrive_jobs (
    redrive_id TEXT NOT NULL,
    place INTEGER NOT NULL,
    job_id TEXT NOT NULL,
    tenant TEXT NOT NULL,
    kind TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    cause TEXT NOT NULL,
    is_canary INTEGER NOT NULL,
    state TEXT NOT NULL,
    reason TEXT,
    code TEXT,
    sent_at INTEGER,
    settled_at INTEGER,
    PRIMARY KEY (redrive_id, place)
) WITHOUT ROWID;

CREATE INDEX tenure_redrive_jobs_turn ON tenure_redrive_jobs (redrive_id, is_canary DESC, place)
    WHERE state = 'waiting';
CREATE INDEX tenure_redrive_jobs_out ON tenure_redrive_jobs (redrive_id, place)
    WHERE state = 'redriven';
CREATE INDEX tenure_redrive_jobs_outcome ON tenure_redrive_jobs (redrive_id, settled_at)
    WHERE state IN ('succeeded', 'failed_again');
CREATE INDEX tenure_redrive_jobs_sent ON tenure_redrive_jobs (redrive_id, sent_at)
    WHERE sent_at IS NOT NULL;

CREATE TABLE tenure_switches (
    name TEXT PRIMARY KEY,
    who TEXT NOT NULL,
    why TEXT NOT NULL,
    at INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE tenure_schedules (
    id TEXT NOT NULL UNIQUE,
    tenant TEXT NOT NULL,
    name TEXT NOT NULL,
    revision INTEGER NOT NULL,
    edition INTEGER NOT NULL,
    kind TEXT NOT NULL,
    payload TEXT NOT NULL,
    occurrence_as TEXT,
    queue TEXT NOT NULL,
    priority INTEGER NOT NULL,
    form TEXT NOT NULL,
    rule TEXT NOT NULL,
    tz TEXT NOT NULL,
    starts_at INTEGER NOT NULL,
    misfire TEXT NOT NULL,
    misfire_cap INTEGER NOT NULL,
    grace REAL NOT NULL,
    overlap TEXT NOT NULL,
    next_at INTEGER,
    waiting_at INTEGER,
    open_jobs TEXT NOT NULL,
    flag TEXT,
    paused_at INTEGER,
    paused_by TEXT,
    paused_why TEXT,
    declared_by TEXT,
    declared_as TEXT,
    declared_with TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    created_by TEXT NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (tenant, name)
) WITHOUT ROWID;

CREATE INDEX tenure_schedules_due ON tenure_schedules (next_at, tenant, name) WHERE next_at IS NOT NULL;
CREATE INDEX tenure_schedules_waiting ON tenure_schedules (tenant, name)
    WHERE waiting_at IS NOT NULL AND paused_at IS NULL;
CREATE INDEX tenure_schedules_declared ON tenure_schedules (declared_by, tenant, name) WHERE declared_by IS NOT NULL;

CREATE TABLE tenure_occurrences (
    id TEXT NOT NULL,
    schedule_id TEXT NOT NULL,
    edition INTEGER NOT NULL,
    cause TEXT NOT NULL,
    at INTEGER NOT NULL,
    until_at INTEGER NOT NULL,
    slots INTEGER,
    skipped TEXT,
    job_id TEXT,
    decided_at INTEGER NOT NULL,
    PRIMARY KEY (schedule_id, id)
) WITHOUT ROWID;

CREATE INDEX tenure_occurrences_decided ON tenure_occurrences (decided_at);

-- Jobs that have become ready, for publishers of hints. Triggers fill it while the switch `hints` stands.
CREATE TABLE tenure_hints (
    job_id TEXT PRIMARY KEY,
    due_at INTEGER NOT NULL,
    refusals INTEGER NOT NULL DEFAULT 0,
    token TEXT,
    error TEXT
) WITHOUT ROWID;

CREATE INDEX tenure_hints_due ON tenure_hints (due_at, job_id);
CREATE INDEX tenure_hints_refused ON tenure_hints (refusals, job_id)
    WHERE error IS NOT NULL;
-- What is said of all jobs of a queue, a kind or a tenant: a blank is every one; or of a resource, with the other three
-- blank. The row of a kind says what its jobs take, where that is more than a slot. No row stands for nothing.
CREATE TABLE tenure_flow (
    queue TEXT NOT NULL,
    kind TEXT NOT NULL,
    tenant TEXT NOT NULL,
    resource TEXT NOT NULL DEFAULT '',
    paused_at INTEGER,
    paused_by TEXT,
    paused_why TEXT,
    weight INTEGER,
    concurrency INTEGER,
    is_declared INTEGER NOT NULL DEFAULT 0,
    starts INTEGER,
    seconds REAL,
    burst INTEGER,
    tokens REAL,
    filled_at INTEGER,
    aging REAL,
    reserve_percent INTEGER,
    reserve_most INTEGER,
    slots INTEGER,
    uses TEXT,
    PRIMARY KEY (tenant, kind, queue, resource)
) WITHOUT ROWID;

CREATE INDEX tenure_flow_paused ON tenure_flow (queue, kind, tenant, resource) WHERE paused_at IS NOT NULL;
CREATE INDEX tenure_flow_demands ON tenure_flow (kind) WHERE slots IS NOT NULL OR uses IS NOT NULL;

-- How many jobs may wait in a queue, of a tenant, or in a queue of one tenant; a blank is every one.
CREATE TABLE tenure_capacities (
    queue TEXT NOT NULL,
    tenant TEXT NOT NULL,
    jobs INTEGER NOT NULL,
    PRIMARY KEY (queue, tenant)
) WITHOUT ROWID;

-- How late the jobs of a queue may start: so large a share of them within so many seconds.
CREATE TABLE tenure_objectives (
    queue TEXT PRIMARY KEY,
    within REAL NOT NULL,
    share REAL NOT NULL
) WITHOUT ROWID;
