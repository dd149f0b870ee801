"""What torch says of calls, and when: signatures, refusals, out=, named results."""
