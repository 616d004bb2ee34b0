"""Account statements as PDF: a durable job for each account and month of a ledger."""
