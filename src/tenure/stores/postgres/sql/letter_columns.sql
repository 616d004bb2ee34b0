job.id, job.tenant, job.queue, job.kind, job.version, coalesce(job.end_code, '') AS code, job.attempt,
job.max_attempts, job.ended_at, job.payload IS NOT NULL AS has_payload,
job.superseded_by IS NOT NULL AS is_superseded
