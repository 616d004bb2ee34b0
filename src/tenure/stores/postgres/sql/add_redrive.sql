WITH added AS (
    INSERT INTO tenure_redrives (
        id, revision, state, which, canary, pace, stop_share, stop_window, single_attempts, total, waiting,
        redriven, succeeded, failed_again, left_out, canary_open, stop_code, stop_reason, who, why, created_at,
        updated_at, counts_from, ended_at, canary_said, sendable, frozen_at, frozen_id
    )
    SELECT
        new.id, new.revision, new.state, new.which, new.canary, new.pace, new.stop_share, new.stop_window,
        new.single_attempts, new.total, new.waiting, new.redriven, new.succeeded, new.failed_again, new.left_out,
        new.canary_open, new.stop_code, new.stop_reason, new.who, new.why, new.created_at, new.updated_at,
        new.counts_from, new.ended_at, new.canary_said, new.sendable, new.frozen_at, new.frozen_id
    FROM jsonb_to_record($1::jsonb->'redrive') AS new (
        id uuid, revision integer, state text, which json, canary integer, pace double precision, stop_share double
        precision, stop_window integer, single_attempts boolean, total integer, waiting integer, redriven integer,
        succeeded integer, failed_again integer, left_out integer, canary_open integer, stop_code text, stop_reason
        text, who text, why text, created_at timestamptz, updated_at timestamptz, counts_from timestamptz, ended_at
        timestamptz, canary_said integer, sendable integer, frozen_at timestamptz, frozen_id uuid
    )
    ON CONFLICT DO NOTHING
    RETURNING id
)
SELECT json_build_object('count', count(*))::text FROM added
