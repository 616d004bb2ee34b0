"""Decides of the flow: whose turn it is, what keeps a job from starting, who still gets in."""
