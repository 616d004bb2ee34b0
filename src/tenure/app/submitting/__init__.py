"""How jobs get into the database: made, judged, and sent alone or together."""
