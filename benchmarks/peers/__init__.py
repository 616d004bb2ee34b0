"""Peers. Each runs in a child under an interpreter that has it; one that has not is reported as not measured."""
