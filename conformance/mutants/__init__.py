"""Plants faults in minitorch, and counts how many of them the suite notices."""

from minitorch import aten

aten.load_all()  # faults are planted in all operators
