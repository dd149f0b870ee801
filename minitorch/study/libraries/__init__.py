"""The two libraries that the tools look at, minitorch and real torch, behind one interface."""
