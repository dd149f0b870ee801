"""Compares a torch-like library with real PyTorch, property by property; see README.md."""
