INSERT INTO tenure_meta VALUES ('touched', randomblob(65536)) ON CONFLICT (name) DO UPDATE SET value = excluded.value
