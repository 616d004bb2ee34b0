"""Decides. Pure functions over frozen values: no I/O, no clock, no dice.

The instant and the chance come in as arguments, so that every decision can be repeated in a test.
"""
