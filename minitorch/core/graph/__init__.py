"""The autograd graph: nodes and what they save, the engine, views and in-place writes."""
