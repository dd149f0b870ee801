"""Exclusive or by a small network, derivatives by hand: 500 steps of SGD."""

import numpy as np

generator = np.random.default_rng(0)
x = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], np.float32)
y = np.array([[0], [1], [1], [0]], np.float32)

w1, b1 = generator.uniform(-0.7, 0.7, (2, 8)).astype(np.float32), np.zeros(8, np.float32)
w2, b2 = generator.uniform(-0.3, 0.3, (8, 1)).astype(np.float32), np.zeros(1, np.float32)
for _ in range(500):
    h = np.tanh(x.dot(w1) + b1)
    error = h.dot(w2) + b2 - y
    loss = np.vdot(error, error) / 4
    g2 = error / 2
    g1 = g2.dot(w2.T) * (1 - h * h)
    w2 -= 0.3 * h.T.dot(g2)
    b2 -= 0.3 * g2.sum(axis=0)
    w1 -= 0.3 * x.T.dot(g1)
    b1 -= 0.3 * g1.sum(axis=0)
print(f"loss {loss:.4f}")
