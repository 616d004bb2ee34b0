SELECT {effect_columns} FROM tenure_effects WHERE tenant = ? AND name = ? AND key = ?
