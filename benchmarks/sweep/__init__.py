"""Every operator and optimizer beside torch's, by size and by kind: `python -m benchmarks --sweep`."""
