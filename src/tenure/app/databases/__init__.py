"""The database that an application works on: its address, what is known of it, and what stands in the way."""
