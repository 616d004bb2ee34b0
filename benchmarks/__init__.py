"""Benchmarks: Tenure beside the same work with no library and beside its peers. `scripts/bench --help`."""
