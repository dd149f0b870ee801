"""Plants faults in minitorch, and counts how many of them the suite notices."""
