"""The rules by which a gradient goes back through nodes of each kind."""
