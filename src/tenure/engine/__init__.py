"""Moves. Loops with a tick() that tests call by hand, and the pipeline that runs one attempt."""
