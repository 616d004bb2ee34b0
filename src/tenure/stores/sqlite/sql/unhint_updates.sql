DROP TRIGGER IF EXISTS tenure_hint_updates
