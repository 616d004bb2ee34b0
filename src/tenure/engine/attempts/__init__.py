"""One attempt, from its lease to what it said: where handlers run, and what watches them."""
