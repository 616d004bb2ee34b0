SELECT {redrive_columns} FROM tenure_redrives WHERE id = ?
