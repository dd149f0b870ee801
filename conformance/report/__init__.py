"""Shows the verdict: board in the terminal, explanations, reproducers, JSON."""
