"""The way of jobs from the database to the handlers, and of reports back."""
