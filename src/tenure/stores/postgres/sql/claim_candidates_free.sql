-- The same where each of them will be taken, since no limit has a say, no kind takes several slots and no tenant has several
-- lanes: rivals that come meanwhile look at the next ones.
{candidates_found}
            FOR NO KEY UPDATE OF job SKIP LOCKED
{candidates_told}
