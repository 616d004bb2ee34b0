"""What a handler is given and may do while it runs."""
