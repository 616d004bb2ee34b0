UPDATE tenure_jobs SET {changes} WHERE id = ? AND revision = ? RETURNING id
