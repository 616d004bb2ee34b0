"""Shows, in Python: the application, its tasks, and what their handlers see."""
