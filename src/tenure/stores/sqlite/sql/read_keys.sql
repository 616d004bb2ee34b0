SELECT {job_columns} FROM tenure_jobs
WHERE seq IN (
    SELECT known.seq FROM json_each(?) AS wanted CROSS JOIN tenure_jobs AS known
    WHERE known.tenant = json_extract(wanted.value, '$[0]')
      AND known.kind = json_extract(wanted.value, '$[1]')
      AND known.idempotency_key = json_extract(wanted.value, '$[2]')
      AND known.idempotency_key IS NOT NULL
)
