"""How a function becomes a kind of job: what is declared of it, and how its arguments are read."""
