"""Decides of schedules: rules, slots, occurrences, wall times."""
