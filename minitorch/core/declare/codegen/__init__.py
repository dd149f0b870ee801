"""The code that is written from a row: its function and its node."""
