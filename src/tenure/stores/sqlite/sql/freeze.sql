INSERT INTO tenure_redrive_jobs ({frozen_columns})
SELECT {frozen_members} FROM json_each(?)
