UPDATE tenure_redrives SET {redrive_changes} WHERE id = ? AND revision = ? RETURNING id
