"""The autograd graph: nodes, what they save, the engine that walks them, views and in-place writes."""
