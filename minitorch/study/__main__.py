"""python -m minitorch.study script.py: records a script (see command_line.py)."""

from minitorch.study.command_line import main

main()
