-- Where the row still has the revision that the decision saw.
WITH input AS MATERIALIZED (
    SELECT $1::jsonb AS j
), written AS (
    UPDATE tenure_redrives AS redrive
    SET
        revision = after.revision, state = after.state, canary = after.canary, pace = after.pace, stop_share =
        after.stop_share, stop_window = after.stop_window, single_attempts = after.single_attempts, total =
        after.total, waiting = after.waiting, redriven = after.redriven, succeeded = after.succeeded, failed_again =
        after.failed_again, left_out = after.left_out, canary_open = after.canary_open, stop_code = after.stop_code,
        stop_reason = after.stop_reason, updated_at = after.updated_at, counts_from = after.counts_from, ended_at =
        after.ended_at, canary_said = after.canary_said, sendable = after.sendable, frozen_at = after.frozen_at,
        frozen_id = after.frozen_id
    FROM input, jsonb_to_record(input.j->'redrive') AS after (
        id uuid, revision integer, state text, which json, canary integer, pace double precision, stop_share double
        precision, stop_window integer, single_attempts boolean, total integer, waiting integer, redriven integer,
        succeeded integer, failed_again integer, left_out integer, canary_open integer, stop_code text, stop_reason
        text, who text, why text, created_at timestamptz, updated_at timestamptz, counts_from timestamptz, ended_at
        timestamptz, canary_said integer, sendable integer, frozen_at timestamptz, frozen_id uuid
    )
    WHERE redrive.id = after.id AND redrive.revision = (input.j->>'seen')::integer
    RETURNING redrive.id
)
SELECT json_build_object('count', count(*))::text FROM written
