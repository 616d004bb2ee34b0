SELECT {key}, substr({column}, 1, {head}), CASE WHEN substr({column}, 1, length(?)) <> ? THEN {column} END
FROM {table} WHERE ({key}) > ({past}) ORDER BY {key} LIMIT ?
