UPDATE tenure_attempts SET late_report = ? WHERE job_id = ? AND number = ? AND late_report IS NULL
