CREATE TRIGGER IF NOT EXISTS tenure_hint_inserts AFTER INSERT ON tenure_jobs WHEN NEW.state = 'ready' BEGIN
    INSERT INTO tenure_hints (job_id, due_at) VALUES (NEW.id, NEW.updated_at)
    ON CONFLICT (job_id) DO UPDATE SET due_at = excluded.due_at, refusals = 0, token = NULL, error = NULL;
END
