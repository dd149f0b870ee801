"""Every operator and optimizer beside torch's, by size and kind: `python -m benchmarks --sweep`."""
