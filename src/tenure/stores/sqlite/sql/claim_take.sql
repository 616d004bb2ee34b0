UPDATE tenure_jobs SET
    state = 'running',
    revision = revision + 1,
    attempt = attempt + 1,
    claim_id = ?1,
    worker = ?2,
    holder = ?3,
    lease_seconds = ?4,
    started_at = ?5,
    heartbeat_at = ?5,
    updated_at = ?5,
    lease_token = json_extract(grant.value, '$[1]'),
    fencing_token = ?7 + grant.key,
    ran_version = json_extract(grant.value, '$[2]'),
    lease_expires_at = json_extract(grant.value, '$[3]'),
    must_end_at = json_extract(grant.value, '$[4]')
FROM json_each(?6) AS grant
WHERE tenure_jobs.seq = json_extract(grant.value, '$[0]') AND state = 'ready'
RETURNING seq
