"""Recording a program: the places of its calls, their arguments and results, and all their data."""
