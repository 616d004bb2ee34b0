-- The heads of the lanes past one lane, in lane order: a hop over the index for each, whatever stands in them.
-- Three searches a hop, since SQLite bounds a correlated search by the first column of a row value alone.
WITH RECURSIVE head (seq) AS (
    SELECT (
        SELECT seq FROM tenure_jobs INDEXED BY tenure_jobs_ready
        WHERE state = 'ready' AND queue = ?1 AND priority = ?2 AND (tenant, kind, version) > (?3, ?4, ?5)
          AND (deadline IS NULL OR deadline > ?6)
        ORDER BY tenant, kind, version, run_at, seq LIMIT 1
    )
    UNION ALL
    SELECT coalesce(
        (
            SELECT seq FROM tenure_jobs INDEXED BY tenure_jobs_ready
            WHERE state = 'ready' AND queue = ?1 AND priority = ?2
              AND tenant = last.tenant AND kind = last.kind AND version > last.version
              AND (deadline IS NULL OR deadline > ?6)
            ORDER BY version, run_at, seq LIMIT 1
        ),
        (
            SELECT seq FROM tenure_jobs INDEXED BY tenure_jobs_ready
            WHERE state = 'ready' AND queue = ?1 AND priority = ?2 AND tenant = last.tenant AND kind > last.kind
              AND (deadline IS NULL OR deadline > ?6)
            ORDER BY kind, version, run_at, seq LIMIT 1
        ),
        (
            SELECT seq FROM tenure_jobs INDEXED BY tenure_jobs_ready
            WHERE state = 'ready' AND queue = ?1 AND priority = ?2 AND tenant > last.tenant
              AND (deadline IS NULL OR deadline > ?6)
            ORDER BY tenant, kind, version, run_at, seq LIMIT 1
        )
    )
    FROM head JOIN tenure_jobs AS last ON last.seq = head.seq
    LIMIT ?7
)
SELECT lane.tenant, lane.kind, lane.version, lane.seq
FROM head CROSS JOIN tenure_jobs AS lane ON lane.seq = head.seq
