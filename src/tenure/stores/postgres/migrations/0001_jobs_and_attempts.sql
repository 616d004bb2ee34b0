-- Documents (payload, result, progress, holder) are text, so that they come back byte for byte; names compare by bytes.
CREATE SEQUENCE tenure_job_seq AS bigint INCREMENT BY 1000;

-- Without a cache, so that a fencing token is never lower than one handed out before it. A claim draws the first of a
-- thousand tokens for its next thousand jobs.
CREATE SEQUENCE tenure_fencing AS bigint INCREMENT BY 1000 CACHE 1;

-- A type, not a CHECK: a check's text is read again for each statement, 8 µs every time.
CREATE TYPE tenure_state AS ENUM ('scheduled', 'ready', 'blocked', 'running', 'succeeded', 'failed', 'cancelled');

-- What an index holds comes first, fixed widths before texts, and what may be NULL last: an update compares each of
-- these columns in both versions of a row, and behind a NULL it finds a column only by walking there.
-- The index of ids keeps room for the entries of the versions that a claim and a completion make: they go where the first
-- one lies, and a full page is looked through for dead ones or split.
CREATE TABLE tenure_jobs (
    id                  uuid PRIMARY KEY WITH (fillfactor = 35),
    seq                 bigint NOT NULL,
    run_at              timestamptz NOT NULL,
    created_at          timestamptz NOT NULL,
    updated_at          timestamptz NOT NULL,
    run_time_limit      double precision NOT NULL,
    version             integer NOT NULL,
    priority            smallint NOT NULL,
    state               tenure_state NOT NULL,
    queue               text COLLATE "C" NOT NULL,
    tenant              text COLLATE "C" NOT NULL,
    kind                text COLLATE "C" NOT NULL,
    revision            integer NOT NULL DEFAULT 0,
    max_attempts        integer NOT NULL,
    attempt             integer NOT NULL DEFAULT 0,
    tries               integer NOT NULL DEFAULT 0,
    unknowns            integer NOT NULL DEFAULT 0,
    losses              integer NOT NULL DEFAULT 0,
    throttles           integer NOT NULL DEFAULT 0,
    releases            integer NOT NULL DEFAULT 0,
    returns             integer NOT NULL DEFAULT 0,
    snoozes             integer NOT NULL DEFAULT 0,
    args_digest         text COLLATE "C" NOT NULL,
    policy              json NOT NULL,
    tags                json NOT NULL,
    deadline            timestamptz,
    ended_at            timestamptz,
    fencing_token       bigint,
    started_at          timestamptz,
    heartbeat_at        timestamptz,
    lease_expires_at    timestamptz,
    must_end_at         timestamptz,
    progress_at         timestamptz,
    cancel_requested_at timestamptz,
    pruned_at           timestamptz,
    payload_expired_at  timestamptz,
    lease_seconds       double precision,
    ran_version         integer,
    order_place         bigint,
    idempotency_key     text COLLATE "C",
    order_key           text COLLATE "C",
    supersession_key    text COLLATE "C",
    superseded_by       text COLLATE "C",
    payload             text COLLATE "C",
    result              text COLLATE "C",
    trace               text COLLATE "C",
    lease_token         text COLLATE "C",
    claim_id            text COLLATE "C",
    worker              text COLLATE "C",
    holder              text COLLATE "C",
    progress            text COLLATE "C",
    first_error_code    text COLLATE "C",
    last_error_code     text COLLATE "C",
    error               text COLLATE "C",
    end_code            text COLLATE "C",
    supersedes          text COLLATE "C",
    burst_at            timestamptz,
    on_failure          text COLLATE "C"
) WITH (
    fillfactor = 85,
    autovacuum_vacuum_scale_factor = 0.02,
    autovacuum_vacuum_threshold = 1000,
    autovacuum_vacuum_insert_scale_factor = 0.05,
    autovacuum_analyze_scale_factor = 0.05,
    autovacuum_vacuum_cost_delay = 1
);

ALTER SEQUENCE tenure_job_seq OWNED BY tenure_jobs.seq;

CREATE UNIQUE INDEX tenure_jobs_key ON tenure_jobs (tenant, kind, idempotency_key)
    WHERE idempotency_key IS NOT NULL;

-- Of the jobs of one supersession key at most one stands (`core.flow.supersession.stands`). And all of them, the newest last.
CREATE UNIQUE INDEX tenure_jobs_standing ON tenure_jobs (tenant, kind, supersession_key)
    WHERE supersession_key IS NOT NULL AND superseded_by IS NULL AND pruned_at IS NULL
        AND state IN ('scheduled', 'ready', 'blocked', 'failed');

CREATE INDEX tenure_jobs_superseding ON tenure_jobs (tenant, kind, supersession_key, seq)
    WHERE supersession_key IS NOT NULL;
-- The lines of order keys: who waits, runs, or stops its key. Of two heads, which stand at 0, it refuses the second.
CREATE UNIQUE INDEX tenure_jobs_line ON tenure_jobs (tenant, order_key, order_place) WHERE order_place IS NOT NULL;

-- The lanes of a claim, each in its own order.
CREATE INDEX tenure_jobs_ready ON tenure_jobs (queue, priority DESC, tenant, kind, version, run_at, seq)
    WHERE state = 'ready';

CREATE INDEX tenure_jobs_scheduled ON tenure_jobs (run_at, seq) WHERE state = 'scheduled';

-- With those that are ready: what a queue's or a tenant's capacity is held against. With the number no two are alike.
CREATE INDEX tenure_jobs_waiting ON tenure_jobs (queue, tenant, kind, seq) WHERE state IN ('scheduled', 'blocked');

-- Holds no column that a heartbeat writes: the reaper filters it, and a heartbeat stays a cheap update. With the token
-- no two entries are alike: among equal ones a new entry cost more than all other indexes of the row together.
CREATE INDEX tenure_jobs_running ON tenure_jobs (kind, fencing_token) WHERE state = 'running';

CREATE INDEX tenure_jobs_deadline ON tenure_jobs (deadline)
    WHERE deadline IS NOT NULL AND state IN ('scheduled', 'ready', 'blocked');

-- Of what has ended: with its payload, without it, or only a tombstone. A row is in one of the three.
CREATE INDEX tenure_jobs_ended ON tenure_jobs (state, ended_at)
    WHERE state IN ('succeeded', 'failed', 'cancelled') AND payload_expired_at IS NULL;

CREATE INDEX tenure_jobs_without_payload ON tenure_jobs (state, ended_at)
    WHERE payload_expired_at IS NOT NULL AND pruned_at IS NULL;

CREATE INDEX tenure_jobs_tombstones ON tenure_jobs (ended_at) WHERE pruned_at IS NOT NULL;

-- With the id a page of dead letters begins where the one before ended, also among many that ended at one instant.
CREATE INDEX tenure_jobs_failed ON tenure_jobs (ended_at, id) WHERE state = 'failed' AND pruned_at IS NULL;

-- Of jobs that say themselves how long their payload is kept, by when that is over.
CREATE INDEX tenure_jobs_payloads ON tenure_jobs (
    ((ended_at AT TIME ZONE 'UTC') + make_interval(secs => (policy->>'payload_retention')::double precision))
)
    WHERE state IN ('succeeded', 'failed', 'cancelled') AND payload_expired_at IS NULL
        AND json_typeof(policy->'payload_retention') = 'number';

-- Order keys that a job has joined, or whose head has ended, in a transaction that could not see all of the line. A row
-- is there until somebody has seen both.
CREATE TABLE tenure_order_news (
    id        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant    text COLLATE "C" NOT NULL,
    order_key text COLLATE "C" NOT NULL
) WITH (
    autovacuum_vacuum_scale_factor = 0.02,
    autovacuum_vacuum_threshold = 1000
);

CREATE INDEX tenure_order_news_key ON tenure_order_news (tenant, order_key);

CREATE TABLE tenure_attempts (
    job_id         uuid NOT NULL,
    number         integer NOT NULL,
    version        integer NOT NULL,
    fencing_token  bigint NOT NULL,
    claimed_run_at timestamptz NOT NULL,
    started_at     timestamptz NOT NULL,
    heartbeat_at   timestamptz,
    lease_lost_at  timestamptz,
    ended_at       timestamptz NOT NULL,
    ran_version    integer,
    begun          boolean NOT NULL,
    after_cancel   boolean NOT NULL,
    after_deadline boolean NOT NULL,
    token_hash     text COLLATE "C" NOT NULL,
    worker         text COLLATE "C" NOT NULL,
    holder         text COLLATE "C",
    ended_by       text COLLATE "C" NOT NULL,
    outcome        text COLLATE "C" NOT NULL,
    error_class    text COLLATE "C",
    error_code     text COLLATE "C",
    error          text COLLATE "C",
    traceback      text COLLATE "C",
    progress       text COLLATE "C",
    late_report    json,
    PRIMARY KEY (job_id, number)
) WITH (
    autovacuum_vacuum_insert_scale_factor = 0.1,
    autovacuum_analyze_scale_factor = 0.1
);

CREATE TABLE tenure_kinds (
    name           text COLLATE "C" PRIMARY KEY,
    versions       json NOT NULL,
    schema         text COLLATE "C",
    queue          text COLLATE "C" NOT NULL,
    max_attempts   integer NOT NULL,
    run_time_limit double precision NOT NULL,
    policy         json NOT NULL,
    priority       smallint NOT NULL,
    remedies       json NOT NULL DEFAULT '{}',
    secret         json NOT NULL DEFAULT '[]',
    secret_result  json NOT NULL DEFAULT '[]'
);

CREATE TABLE tenure_slowdowns (
    tenant text COLLATE "C" NOT NULL,
    kind   text COLLATE "C" NOT NULL,
    until  timestamptz NOT NULL,
    code   text COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, kind)
);

CREATE TABLE tenure_audit (
    seq     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at      timestamptz NOT NULL,
    who     text COLLATE "C" NOT NULL,
    verb    text COLLATE "C" NOT NULL,
    subject text COLLATE "C" NOT NULL,
    tenant  text COLLATE "C",
    kind    text COLLATE "C",
    queue   text COLLATE "C",
    why     text COLLATE "C" NOT NULL,
    detail  text COLLATE "C" NOT NULL
);

CREATE TABLE tenure_keys (
    id         uuid PRIMARY KEY,
    name       text COLLATE "C" NOT NULL,
    role       text COLLATE "C" NOT NULL,
    scope      json NOT NULL,
    hash       text COLLATE "C" NOT NULL UNIQUE,
    created_at timestamptz NOT NULL,
    created_by text COLLATE "C" NOT NULL,
    expires_at timestamptz,
    revoked_at timestamptz
);

CREATE UNIQUE INDEX tenure_keys_name ON tenure_keys (name) WHERE revoked_at IS NULL;

CREATE TABLE tenure_meta (
    only_row    boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    database_id text NOT NULL,
    digest_key  text NOT NULL
);

INSERT INTO tenure_meta (database_id, digest_key)
VALUES (gen_random_uuid()::text, replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''));

CREATE TABLE tenure_effects (
    job_id        uuid NOT NULL,
    fencing_token bigint NOT NULL,
    started_at    timestamptz NOT NULL,
    call_ends_by  timestamptz NOT NULL,
    settled_at    timestamptz,
    updated_at    timestamptz NOT NULL,
    attempt       integer NOT NULL,
    tries         integer NOT NULL,
    revision      integer NOT NULL,
    can_settle    boolean NOT NULL,
    tenant        text COLLATE "C" NOT NULL,
    name          text COLLATE "C" NOT NULL,
    key           text COLLATE "C" NOT NULL,
    kind          text COLLATE "C" NOT NULL,
    token_hash    text COLLATE "C" NOT NULL,
    args_digest   text COLLATE "C" NOT NULL,
    state         text COLLATE "C" NOT NULL,
    request_id    text COLLATE "C" NOT NULL,
    result        text COLLATE "C",
    shared_key    text COLLATE "C",
    error_code    text COLLATE "C",
    error         text COLLATE "C",
    settled_by    text COLLATE "C",
    PRIMARY KEY (tenant, name, key)
);

CREATE INDEX tenure_effects_job ON tenure_effects (job_id, name, key);
CREATE INDEX tenure_effects_open ON tenure_effects (updated_at) WHERE state IN ('pending', 'uncertain');

CREATE TABLE tenure_checkpoints (
    job_id        uuid NOT NULL,
    saved_at      timestamptz NOT NULL,
    fencing_token bigint NOT NULL,
    attempt       integer NOT NULL,
    name          text COLLATE "C" NOT NULL,
    value         text COLLATE "C" NOT NULL,
    PRIMARY KEY (job_id, name)
);

CREATE TABLE tenure_redrives (
    id              uuid PRIMARY KEY,
    created_at      timestamptz NOT NULL,
    updated_at      timestamptz NOT NULL,
    counts_from     timestamptz NOT NULL,
    ended_at        timestamptz,
    frozen_at       timestamptz,
    frozen_id       uuid,
    pace            double precision NOT NULL,
    stop_share      double precision NOT NULL,
    revision        integer NOT NULL,
    canary          integer NOT NULL,
    canary_open     integer NOT NULL,
    stop_window     integer NOT NULL,
    total           integer NOT NULL,
    waiting         integer NOT NULL,
    redriven        integer NOT NULL,
    succeeded       integer NOT NULL,
    failed_again    integer NOT NULL,
    left_out        integer NOT NULL,
    sendable        integer NOT NULL,
    canary_said     integer,
    single_attempts boolean NOT NULL,
    state           text COLLATE "C" NOT NULL,
    which           json NOT NULL,
    stop_code       text COLLATE "C",
    stop_reason     text COLLATE "C",
    who             text COLLATE "C" NOT NULL,
    why             text COLLATE "C" NOT NULL
);

CREATE INDEX tenure_redrives_open ON tenure_redrives (id) WHERE state IN ('freezing', 'running') OR redriven > 0;

CREATE TABLE tenure_redrive_jobs (
    redrive_id uuid NOT NULL,
    job_id     uuid NOT NULL,
    place      integer NOT NULL,
    attempt    integer NOT NULL,
    sent_at    timestamptz,
    settled_at timestamptz,
    is_canary  boolean NOT NULL,
    tenant     text COLLATE "C" NOT NULL,
    kind       text COLLATE "C" NOT NULL,
    cause      text COLLATE "C" NOT NULL,
    state      text COLLATE "C" NOT NULL,
    reason     text COLLATE "C",
    code       text COLLATE "C",
    PRIMARY KEY (redrive_id, place)
);

CREATE INDEX tenure_redrive_jobs_turn ON tenure_redrive_jobs (redrive_id, is_canary DESC, place)
    WHERE state = 'waiting';
CREATE INDEX tenure_redrive_jobs_out ON tenure_redrive_jobs (redrive_id, place) WHERE state = 'redriven';
CREATE INDEX tenure_redrive_jobs_outcome ON tenure_redrive_jobs (redrive_id, settled_at)
    WHERE state IN ('succeeded', 'failed_again');
CREATE INDEX tenure_redrive_jobs_sent ON tenure_redrive_jobs (redrive_id, sent_at) WHERE sent_at IS NOT NULL;

CREATE TABLE tenure_switches (
    name text COLLATE "C" PRIMARY KEY,
    at   timestamptz NOT NULL,
    who  text COLLATE "C" NOT NULL,
    why  text COLLATE "C" NOT NULL
);

CREATE TABLE tenure_schedules (
    id            uuid NOT NULL UNIQUE,
    starts_at     timestamptz NOT NULL,
    next_at       timestamptz,
    waiting_at    timestamptz,
    paused_at     timestamptz,
    created_at    timestamptz NOT NULL,
    updated_at    timestamptz NOT NULL,
    grace         double precision NOT NULL,
    revision      integer NOT NULL,
    edition       integer NOT NULL,
    misfire_cap   integer NOT NULL,
    priority      smallint NOT NULL,
    tenant        text COLLATE "C" NOT NULL,
    name          text COLLATE "C" NOT NULL,
    kind          text COLLATE "C" NOT NULL,
    payload       text COLLATE "C" NOT NULL,
    occurrence_as text COLLATE "C",
    queue         text COLLATE "C" NOT NULL,
    form          text COLLATE "C" NOT NULL,
    rule          text COLLATE "C" NOT NULL,
    tz            text COLLATE "C" NOT NULL,
    misfire       text COLLATE "C" NOT NULL,
    overlap       text COLLATE "C" NOT NULL,
    flag          text COLLATE "C",
    paused_by     text COLLATE "C",
    paused_why    text COLLATE "C",
    declared_by   text COLLATE "C",
    declared_as   text COLLATE "C",
    created_by    text COLLATE "C" NOT NULL,
    open_jobs     json NOT NULL,
    declared_with json NOT NULL,
    PRIMARY KEY (tenant, name)
);

CREATE INDEX tenure_schedules_due ON tenure_schedules (next_at, tenant, name) WHERE next_at IS NOT NULL;
CREATE INDEX tenure_schedules_waiting ON tenure_schedules (tenant, name)
    WHERE waiting_at IS NOT NULL AND paused_at IS NULL;
CREATE INDEX tenure_schedules_declared ON tenure_schedules (declared_by, tenant, name) WHERE declared_by IS NOT NULL;

CREATE TABLE tenure_occurrences (
    id          uuid NOT NULL,
    schedule_id uuid NOT NULL,
    job_id      uuid,
    at          timestamptz NOT NULL,
    until_at    timestamptz NOT NULL,
    decided_at  timestamptz NOT NULL,
    edition     integer NOT NULL,
    slots       integer,
    cause       text COLLATE "C" NOT NULL,
    skipped     text COLLATE "C",
    PRIMARY KEY (schedule_id, id)
);

CREATE INDEX tenure_occurrences_decided ON tenure_occurrences (decided_at);

-- Jobs that have become ready, for publishers of hints. While the switch `hints` stands, triggers fill it in the
-- transactions that make them ready. There are none before that: who publishes nothing pays nothing.
CREATE TABLE tenure_hints (
    job_id   uuid PRIMARY KEY,
    due_at   timestamptz NOT NULL,
    refusals integer NOT NULL DEFAULT 0,
    token    text COLLATE "C",
    error    text COLLATE "C"
) WITH (
    autovacuum_vacuum_scale_factor = 0.02,
    autovacuum_vacuum_threshold = 1000
);

CREATE INDEX tenure_hints_due ON tenure_hints (due_at, job_id);
CREATE INDEX tenure_hints_refused ON tenure_hints (refusals, job_id) WHERE error IS NOT NULL;

CREATE FUNCTION tenure_note_hint() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO tenure_hints (job_id, due_at) VALUES (NEW.id, NEW.updated_at)
    ON CONFLICT (job_id) DO UPDATE SET due_at = excluded.due_at, refusals = 0, token = NULL, error = NULL;
    RETURN NULL;
END
$$;

-- The strong lock waits for every transaction that has written jobs, and keeps new ones waiting meanwhile: not for long.
-- The weak one comes before it and keeps no writer waiting: it is what an autovacuum holds, which gives way after a second.
CREATE FUNCTION tenure_start_hints() RETURNS void LANGUAGE plpgsql SET lock_timeout = '10s' AS $$
BEGIN
    IF EXISTS (
        SELECT FROM pg_trigger WHERE tgrelid = 'tenure_jobs'::regclass AND tgname = 'tenure_hint_updates'
    ) THEN
        RETURN;
    END IF;
    LOCK TABLE tenure_jobs IN SHARE UPDATE EXCLUSIVE MODE;
    PERFORM set_config('lock_timeout', '500ms', true);
    LOCK TABLE tenure_jobs IN SHARE ROW EXCLUSIVE MODE;
    DROP TRIGGER IF EXISTS tenure_hint_inserts ON tenure_jobs;
    DROP TRIGGER IF EXISTS tenure_hint_updates ON tenure_jobs;
    CREATE TRIGGER tenure_hint_inserts AFTER INSERT ON tenure_jobs
        FOR EACH ROW WHEN (NEW.state = 'ready') EXECUTE FUNCTION tenure_note_hint();
    CREATE TRIGGER tenure_hint_updates AFTER UPDATE OF state ON tenure_jobs
        FOR EACH ROW WHEN (NEW.state = 'ready' AND OLD.state <> 'ready') EXECUTE FUNCTION tenure_note_hint();
END
$$;

CREATE FUNCTION tenure_stop_hints() RETURNS void LANGUAGE plpgsql SET lock_timeout = '10s' AS $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM pg_trigger
        WHERE tgrelid = 'tenure_jobs'::regclass AND tgname IN ('tenure_hint_inserts', 'tenure_hint_updates')
    ) THEN
        RETURN;
    END IF;
    LOCK TABLE tenure_jobs IN SHARE UPDATE EXCLUSIVE MODE;
    PERFORM set_config('lock_timeout', '500ms', true);
    DROP TRIGGER IF EXISTS tenure_hint_inserts ON tenure_jobs;
    DROP TRIGGER IF EXISTS tenure_hint_updates ON tenure_jobs;
END
$$;

-- For jobs that were ready before, past one id, and up to how far it came. Never waits for a writer that waits for it.
CREATE FUNCTION tenure_seed_hints(past uuid, seen timestamptz, most integer) RETURNS uuid
    LANGUAGE plpgsql SET lock_timeout = '200ms' AS $$
DECLARE
    ids uuid[] := ARRAY(
        SELECT id FROM tenure_jobs WHERE id > past AND state = 'ready' ORDER BY id LIMIT most
    );
BEGIN
    INSERT INTO tenure_hints (job_id, due_at) SELECT id, seen FROM unnest(ids) AS id ON CONFLICT DO NOTHING;
    RETURN ids[most];
END
$$;
-- What is said of all jobs of a queue, a kind or a tenant: a blank is every one; or of a resource, with the other three
-- blank. The row of a kind says what its jobs take, where that is more than a slot. A claim that finds none of these for
-- a lane has found out everything with one look. No row stands for nothing.
CREATE TABLE tenure_flow (
    paused_at   timestamptz,
    filled_at   timestamptz,
    seconds     double precision,
    tokens      double precision,
    aging       double precision,
    weight      integer,
    concurrency integer,
    starts      integer,
    burst       integer,
    reserve_percent integer,
    reserve_most    integer,
    is_declared boolean NOT NULL DEFAULT false,
    queue       text COLLATE "C" NOT NULL,
    kind        text COLLATE "C" NOT NULL,
    tenant      text COLLATE "C" NOT NULL,
    paused_by   text COLLATE "C",
    paused_why  text COLLATE "C",
    resource    text COLLATE "C" NOT NULL DEFAULT '',
    slots       integer,
    uses        text[] COLLATE "C",
    PRIMARY KEY (tenant, kind, queue, resource)
) WITH (fillfactor = 50);

CREATE INDEX tenure_flow_demands ON tenure_flow (kind) WHERE slots IS NOT NULL OR uses IS NOT NULL;

-- How many jobs may wait in a queue, of a tenant, or in a queue of one tenant; a blank is every one.
CREATE TABLE tenure_capacities (
    jobs   integer NOT NULL,
    queue  text COLLATE "C" NOT NULL,
    tenant text COLLATE "C" NOT NULL,
    PRIMARY KEY (queue, tenant)
);

-- How late the jobs of a queue may start: so large a share of them within so many seconds.
CREATE TABLE tenure_objectives (
    within double precision NOT NULL,
    share  double precision NOT NULL,
    queue  text COLLATE "C" PRIMARY KEY
);
