"""torch.testing: asserting that results are close, and making tensors to test with."""

from minitorch.testing.comparison import assert_allclose, assert_close
from minitorch.testing.creation import make_tensor

__all__ = ["assert_allclose", "assert_close", "make_tensor"]

for _public in (assert_allclose, assert_close, make_tensor):
    _public.__module__ = "torch.testing"
