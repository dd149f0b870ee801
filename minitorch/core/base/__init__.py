"""The ground of graph and tensor: modes, latches, the language of formulas, fields."""
