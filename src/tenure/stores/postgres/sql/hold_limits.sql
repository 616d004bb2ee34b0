-- In one order for all, so that nobody waits in a circle.
{limits_held}
)
SELECT json_build_object(
{limits_told}
)::text FROM clock
