"""Tensors of sparse layouts: what they are made of, and the operators that torch has for them.

`dispatch.call` is where a call comes to that is given one. Nothing of it is loaded before a program
makes a sparse tensor.
"""
