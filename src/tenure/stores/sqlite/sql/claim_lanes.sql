-- The heads of the lanes past one lane, in lane order: a hop over the index for each, whatever stands in them.
WITH RECURSIVE head (seq) AS (
    SELECT (
        SELECT seq FROM tenure_jobs INDEXED BY tenure_jobs_ready
        WHERE state = 'ready' AND queue = ?1 AND priority = ?2 AND (tenant, kind, version) > (?3, ?4, ?5)
          AND (deadline IS NULL OR deadline > ?6)
        ORDER BY tenant, kind, version, run_at, seq LIMIT 1
    )
    UNION ALL
    SELECT (
        SELECT next.seq FROM tenure_jobs AS next INDEXED BY tenure_jobs_ready
        WHERE next.state = 'ready' AND next.queue = ?1 AND next.priority = ?2
          AND (next.tenant, next.kind, next.version) > (last.tenant, last.kind, last.version)
          AND (next.deadline IS NULL OR next.deadline > ?6)
        ORDER BY next.tenant, next.kind, next.version, next.run_at, next.seq LIMIT 1
    )
    FROM head JOIN tenure_jobs AS last ON last.seq = head.seq
    LIMIT ?7
)
SELECT lane.tenant, lane.kind, lane.version, lane.seq
FROM head CROSS JOIN tenure_jobs AS lane ON lane.seq = head.seq
