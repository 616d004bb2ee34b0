UPDATE tenure_effects SET {effect_changes}
WHERE tenant = ? AND name = ? AND key = ? AND revision = ?
RETURNING key
