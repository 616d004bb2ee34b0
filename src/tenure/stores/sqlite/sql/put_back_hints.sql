UPDATE tenure_hints SET
    due_at = ?1, token = NULL, error = ?2, refusals = CASE WHEN ?2 IS NULL THEN 0 ELSE refusals + 1 END
WHERE token = ?3 AND job_id IN (SELECT value FROM json_each(?4))
RETURNING job_id
