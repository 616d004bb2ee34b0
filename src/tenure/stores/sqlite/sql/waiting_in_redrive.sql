SELECT {frozen_columns} FROM tenure_redrive_jobs INDEXED BY tenure_redrive_jobs_turn
WHERE redrive_id = ?1 AND state = 'waiting' AND is_canary >= ?2
    AND NOT EXISTS (
        SELECT 1 FROM json_each(?3) AS closed
        WHERE json_extract(closed.value, '$[0]') = tenant AND json_extract(closed.value, '$[1]') = kind
    )
    AND NOT EXISTS (
        SELECT 1 FROM tenure_flow AS rule WHERE rule.queue = '' AND rule.resource = '' AND rule.paused_at IS NOT NULL
            AND (rule.kind, rule.tenant) IN (VALUES (tenure_redrive_jobs.kind, ''), ('', tenure_redrive_jobs.tenant))
    )
    AND NOT EXISTS (
        SELECT 1 FROM tenure_flow AS rule JOIN tenure_jobs AS job ON job.queue = rule.queue
        WHERE rule.paused_at IS NOT NULL AND rule.queue <> '' AND job.id = tenure_redrive_jobs.job_id
    )
    AND NOT EXISTS (
        SELECT 1 FROM tenure_flow AS own JOIN json_each(own.uses) AS used
            JOIN tenure_flow AS rule ON rule.resource = used.value
        WHERE own.kind = tenure_redrive_jobs.kind AND own.tenant = '' AND own.queue = '' AND own.resource = ''
            AND rule.paused_at IS NOT NULL
    )
ORDER BY is_canary DESC, place LIMIT ?4
