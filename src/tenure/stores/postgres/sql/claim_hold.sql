-- In one order for all, so that nobody waits in a circle.
{limits_held}
)
SELECT json_build_object(
{limits_told},
    -- A process that is stopped here would hold up all claims under these limits: the server ends its session.
    'ends', set_config('idle_in_transaction_session_timeout', '5s', true)
)::text FROM clock
