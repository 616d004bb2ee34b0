UPDATE {table} SET {column} = ? WHERE ({key}) = ({past}) AND {column} = ? RETURNING 1
