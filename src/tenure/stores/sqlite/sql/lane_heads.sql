SELECT priority, tenant, kind, run_at FROM (
    WITH RECURSIVE head (seq) AS (
        SELECT (
            SELECT seq FROM tenure_jobs INDEXED BY tenure_jobs_ready WHERE state = 'ready' AND queue = ?1
            ORDER BY priority DESC, tenant, kind, version, run_at LIMIT 1
        )
        UNION ALL
        SELECT coalesce(
            (
                SELECT seq FROM tenure_jobs INDEXED BY tenure_jobs_ready
                WHERE state = 'ready' AND queue = ?1 AND priority = last.priority
                  AND tenant = last.tenant AND kind = last.kind AND version > last.version
                ORDER BY version, run_at LIMIT 1
            ),
            (
                SELECT seq FROM tenure_jobs INDEXED BY tenure_jobs_ready
                WHERE state = 'ready' AND queue = ?1 AND priority = last.priority
                  AND tenant = last.tenant AND kind > last.kind
                ORDER BY kind, version, run_at LIMIT 1
            ),
            (
                SELECT seq FROM tenure_jobs INDEXED BY tenure_jobs_ready
                WHERE state = 'ready' AND queue = ?1 AND priority = last.priority AND tenant > last.tenant
                ORDER BY tenant, kind, version, run_at LIMIT 1
            ),
            (
                SELECT seq FROM tenure_jobs INDEXED BY tenure_jobs_ready
                WHERE state = 'ready' AND queue = ?1 AND priority < last.priority
                ORDER BY priority DESC, tenant, kind, version, run_at LIMIT 1
            )
        )
        FROM head CROSS JOIN tenure_jobs AS last ON last.seq = head.seq
        LIMIT ?2
    )
    SELECT lane.priority, lane.tenant, lane.kind, lane.run_at
    FROM head CROSS JOIN tenure_jobs AS lane ON lane.seq = head.seq
)
