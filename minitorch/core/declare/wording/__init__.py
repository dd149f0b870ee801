"""torch's rules and texts for calls: signatures, refusals, out=, named results."""
