-- What stands at the heads of the lanes that a claim may take from, and what runs by now: its snapshot is younger than the
-- locks of the limits.
{candidates_found}
{candidates_told}
