"""The graph behind a live tensor: walked, explained as text, and drawn."""
