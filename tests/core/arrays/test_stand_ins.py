"""Functions without a rule of shape, asked with smaller arrays."""

import numpy
import pytest

import minitorch as torch
from minitorch.core.arrays.hollow import fresh
from minitorch.core.arrays.stand_ins import NoAnswer, of_fewer

LARGE = 4096, 50000, 768


def meta(*shape, dtype=None):
    return torch.empty(shape, dtype=dtype, device="meta")


def shapes(function, *arrays):
    result = of_fewer(function, tuple(fresh(each, numpy.float32) for each in arrays), {})
    return result.shape


def test_sizes_that_pass_through_a_function_are_known():
    assert shapes(lambda x, y: x @ y, (4096, 50000), (50000, 768)) == (4096, 768)
    assert shapes(lambda x: x.sum(1), LARGE) == (4096, 768)


def test_the_order_of_memory_is_that_of_the_small_result():
    result = of_fewer(lambda x: numpy.asfortranarray(x), (fresh((4096, 768), "f4"),), {})
    assert result.strides == (4, 4 * 4096)


def test_an_array_that_is_handed_back_is_the_large_one():
    x = fresh((4096, 768), numpy.float32)
    assert of_fewer(lambda x: x, (x,), {}) is x


def test_sizes_that_are_computed_are_tried_at_the_size_they_have():
    assert shapes(lambda x: x[:, : x.shape[1] // 2 + 1].copy(), (4096, 768)) == (4096, 385)


def test_sizes_that_nothing_explains_give_no_answer():
    with pytest.raises(NoAnswer):
        shapes(lambda x: x[: x.shape[0] // 2].copy(), (1 << 20, 1 << 20))


@pytest.mark.parametrize(
    ("call", "shape"),
    [
        (lambda: torch.nn.functional.max_pool2d(meta(64, 64, 112, 112), 3, 2, 1), (64, 64, 56, 56)),
        (lambda: torch.nn.functional.max_pool3d(meta(8, 16, 32, 64, 64), 2), (8, 16, 16, 32, 32)),
        (lambda: meta(32, 1024, 768).sort(-1).indices, (32, 1024, 768)),
        (lambda: torch.linalg.svd(meta(32, 1024, 768))[0], (32, 1024, 1024)),
        (lambda: torch.fft.rfft(meta(32, 1024, 768)), (32, 1024, 385)),
        (lambda: torch.linalg.solve(meta(9, 512, 512), meta(9, 512, 7)), (9, 512, 7)),
        (lambda: torch.nn.Embedding(50000, 768, device="meta")(meta(512, dtype=torch.long)),
         (512, 768)),
        (lambda: meta(4096, 50000).scatter(1, meta(4096, 5, dtype=torch.long), 1.0), (4096, 50000)),
    ],
)  # fmt: skip
def test_operators_know_the_shapes_of_large_meta_tensors(call, shape):
    assert call().shape == shape


def test_backward_knows_the_shapes_of_large_meta_tensors():
    logits = meta(4096, 50000).requires_grad_()
    loss = torch.nn.functional.cross_entropy(logits, meta(4096, dtype=torch.long))
    loss.backward()
    assert logits.grad.shape == (4096, 50000)
