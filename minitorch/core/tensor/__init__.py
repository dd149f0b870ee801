"""The Tensor: its fields, its Python protocol, indexing and printing."""
