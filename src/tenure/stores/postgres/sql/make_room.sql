-- A NOTIFY queue that was full stays full, although everybody has read it by now, until somebody asks how full it is.
SELECT pg_notification_queue_usage()::text WHERE $1::jsonb IS NOT NULL
