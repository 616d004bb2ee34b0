SELECT max({high_water}, ?)
