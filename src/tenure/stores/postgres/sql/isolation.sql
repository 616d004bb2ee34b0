-- Whether each statement of the transaction has a snapshot of its own.
SELECT (current_setting('transaction_isolation') IN ('read committed', 'read uncommitted'))::text
FROM (SELECT $1::jsonb) AS unused
