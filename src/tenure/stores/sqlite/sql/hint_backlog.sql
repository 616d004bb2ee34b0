SELECT
    EXISTS (SELECT 1 FROM tenure_switches WHERE name = 'hints'),
    (SELECT count(*) FROM (SELECT 1 FROM tenure_hints WHERE due_at <= ?1 LIMIT ?2)),
    (SELECT due_at FROM tenure_hints WHERE due_at <= ?1 ORDER BY due_at LIMIT 1),
    (SELECT count(*) FROM (SELECT 1 FROM tenure_hints WHERE error IS NOT NULL LIMIT ?2)),
    (SELECT error FROM tenure_hints WHERE error IS NOT NULL ORDER BY refusals DESC, job_id DESC LIMIT 1)
