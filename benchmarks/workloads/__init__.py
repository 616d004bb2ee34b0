"""The workloads of the targets' table. Each has `measure(bench)`, which yields the lines of the report."""
