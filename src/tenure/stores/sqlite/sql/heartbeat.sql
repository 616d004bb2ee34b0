UPDATE tenure_jobs SET
    heartbeat_at = ?1,
    lease_expires_at = json_extract(beat.value, '$[2]'),
    progress = coalesce(json_extract(beat.value, '$[3]'), progress),
    progress_at = CASE WHEN json_extract(beat.value, '$[3]') IS NULL THEN progress_at ELSE ?1 END
FROM json_each(?2) AS beat
WHERE tenure_jobs.id = json_extract(beat.value, '$[0]')
  AND lease_token = json_extract(beat.value, '$[1]') AND state = 'running'
RETURNING tenure_jobs.id
