SELECT max(value, ?) FROM tenure_meta WHERE name = 'clock'
