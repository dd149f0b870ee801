"""A right answer to the five steps of micro autograd; tests plant mistakes into its lines."""

import numpy as np


class Value:
    def __init__(self, data, requires_grad=False, inputs=(), operation="", local=()):
        self.data = data
        self.requires_grad = requires_grad or any(value.requires_grad for value in inputs)
        self.inputs = inputs
        self.operation = operation
        self.local = local
        self.grad = None

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data + other.data, False, (self, other), "+", (1.0, 1.0))

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data * other.data, False, (self, other), "*", (other.data, self.data))

    def __pow__(self, exponent):
        slope = exponent * self.data ** (exponent - 1)
        return Value(self.data**exponent, False, (self,), "**", (slope,))

    def sum(self):
        return Value(self.data.sum(), False, (self,), "sum", (1.0,))

    __radd__ = __add__
    __rmul__ = __mul__

    def backward(self):
        walk = order(self)
        for value in walk:
            if value.inputs:
                value.grad = None
        self.grad = np.ones_like(self.data)
        for value in walk:
            for used, local in zip(value.inputs, value.local):
                if used.requires_grad:
                    part = value.grad * local * np.ones_like(used.data)
                    part = summed_to(part, np.shape(used.data))
                    used.grad = part if used.grad is None else used.grad + part


def order(root):
    users = {root: 0}
    found = [root]
    for value in found:
        for used in value.inputs:
            if used not in users:
                users[used] = 0
                found.append(used)
            users[used] += 1
    ready = [root]
    for value in ready:
        for used in value.inputs:
            users[used] -= 1
            if users[used] == 0:
                ready.append(used)
    return ready


def summed_to(gradient, shape):
    new = np.ndim(gradient) - len(shape)
    gradient = np.sum(gradient, axis=tuple(range(new)))
    repeated = tuple(i for i, size in enumerate(shape) if size == 1)
    return np.sum(gradient, axis=repeated, keepdims=True)
