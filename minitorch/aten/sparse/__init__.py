"""Tensors of layout torch.sparse_coo; loaded when a program first asks for one."""
