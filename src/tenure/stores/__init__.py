"""Keeps. The Store protocol with its numbered guarantees, and the three stores that give them."""
