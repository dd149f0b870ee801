"""python -m minitorch script.py: runs a script that was written for torch (see drop_in.py)."""

from minitorch.drop_in import main

main()
