"""Linear regression by hand: 100 steps of SGD."""

import numpy as np

generator = np.random.default_rng(0)
x = generator.standard_normal(100, dtype=np.float32)
y = 3 * x - 1 + 0.1 * generator.standard_normal(100, dtype=np.float32)

w = b = np.float32(0)
for _ in range(100):
    error = w * x + b - y
    loss = error.dot(error) / 100
    w -= 0.1 * 2 / 100 * error.dot(x)
    b -= 0.1 * 2 / 100 * error.sum()
print(f"loss {loss:.4f}")
