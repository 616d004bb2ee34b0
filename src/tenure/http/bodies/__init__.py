"""How bodies and queries are read: under their limit, strictly, into the operation's struct."""
