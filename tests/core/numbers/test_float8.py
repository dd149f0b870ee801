"""Floats of 8 bits: conversions, and the operators that torch has for them."""

import pickle
import warnings

import numpy
import pytest

import minitorch as torch
from minitorch.core.numbers import float8

NAMES = ("float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e8m0fnu")
E4M3, E5M2 = torch.float8_e4m3fn, torch.float8_e5m2


def bits(x):
    return x.view(torch.uint8).tolist()


@pytest.mark.parametrize("name", NAMES)
def test_each_pattern_of_bits_is_the_number_that_is_written_as_it(name):
    every = torch.arange(256, dtype=torch.uint8).view(getattr(torch, name))
    numbers = every.float()
    assert numbers.isnan().sum() == {"e4m3fn": 2, "e5m2": 6}.get(name[7:], 1)
    known = ~numbers.isnan()
    again = numbers.to(every.dtype)
    assert bits(again[known]) == bits(every[known])


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("float8_e4m3fn", [126, 254, 126, 127, 0, 88]),
        ("float8_e5m2", [124, 252, 124, 127, 0, 76]),
        ("float8_e4m3fnuz", [128, 128, 128, 128, 0, 96]),
        ("float8_e5m2fnuz", [128, 128, 128, 128, 0, 80]),
        ("float8_e8m0fnu", [255, 255, 144, 255, 0, 131]),
    ],
)
def test_numbers_out_of_range_become_what_they_become_in_torch(name, expected):
    inf, nan = float("inf"), float("nan")
    x = torch.tensor([inf, -inf, 1e5, nan, 0.0, 17.0])
    assert bits(x.to(getattr(torch, name))) == expected
    assert bits(torch.tensor(x.tolist(), dtype=getattr(torch, name))) == expected


def test_halves_round_to_even():
    x = torch.tensor([1.0625, 1.1875, 0.0009765625, 464.0, -1.0625])
    assert x.to(E4M3).tolist() == [1.0, 1.25, 0.0, 448.0, -1.0]


def test_tensors_are_moved_as_others_are():
    x = torch.arange(1.0, 7.0).reshape(2, 3).to(E4M3)
    assert x.t()[2].tolist() == [3.0, 6.0]
    assert torch.cat([x, x], 1).shape == (2, 6)
    assert torch.where(x == x, x, torch.zeros_like(x)).tolist() == x.tolist()
    assert x[x != 2].tolist() == [1.0, 3.0, 4.0, 5.0, 6.0]
    assert x.flip(0)[0].tolist() == [4.0, 5.0, 6.0]
    assert x.clone().fill_(1.7).tolist() == [[1.75] * 3] * 2
    assert x.clone().zero_().any().item() is False
    assert x.double().dtype is torch.float64
    assert x.to(E5M2).tolist() == [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
    assert torch.eye(2, dtype=E4M3).tolist() == [[1.0, 0.0], [0.0, 1.0]]
    y = torch.zeros(3, dtype=E4M3)
    y[1] = 1e9
    y[2:] = torch.tensor([3.3])
    assert y.tolist() == [0.0, 448.0, 3.25]


def test_a_part_is_written_over_in_the_dtype_of_the_whole():
    x = torch.ones(2, 2, dtype=E4M3)
    assert x.select_scatter(torch.tensor([1.7, 3.3]), 0, 1).tolist() == [[1.0, 1.0], [1.75, 3.25]]


def test_products_are_rounded_once():
    x = torch.arange(1.0, 7.0).reshape(2, 3).to(E4M3)
    assert (x @ x.t()).tolist() == [[14.0, 32.0], [32.0, 80.0]]
    assert (x * x).tolist() == [[1.0, 4.0, 9.0], [16.0, 24.0, 36.0]]
    bias = torch.ones(2, dtype=E4M3)
    assert torch.nn.functional.linear(x, x, bias).tolist() == [[15.0, 32.0], [32.0, 80.0]]


def test_it_prints_as_torch_prints():
    text = "tensor([[1., 2.],\n        [3., 4.]], dtype=torch.float8_e4m3fn)"
    assert repr(torch.tensor([[1.0, 2.0], [3.0, 4.0]]).to(E4M3)) == text


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda x: x + x, NotImplementedError, "\"add_stub\" not implemented for 'Float8_e4m3fn'"),
        (lambda x: x.sum(), NotImplementedError, "\"sum_cpu\" not implemented for 'Float8_e4m3fn'"),
        (lambda x: x.sort(), NotImplementedError, '"sorting_kernel_method_name" not implemented'),
        (lambda x: x * 2, NotImplementedError, '"mul_cpu_reduced_float" not implemented'),
        (lambda x: x.exp(), NotImplementedError, "not implemented for 'Float8_e4m3fn'"),
        (lambda x: x.isinf(), NotImplementedError, '"isinf" not implemented'),
        (lambda x: x.std(), NotImplementedError, "not implemented for 'Float8_e4m3fn'"),
        (lambda x: torch.isin(x, x), NotImplementedError, '"isin_default_cpu" not implemented'),
        (lambda x: x + x.float(), RuntimeError, "Promotion for Float8 Types is not supported"),
        (lambda x: x.numpy(), TypeError, "Got unsupported ScalarType Float8_e4m3fn"),
        (
            lambda x: torch.promote_types(E4M3, torch.int8),
            RuntimeError,
            "attempted to promote Float8_e4m3fn and Char",
        ),
    ],
)
def test_other_operators_are_refused(call, error, text):
    with pytest.raises(error) as caught:
        call(torch.ones(3).to(E4M3))
    assert text in str(caught.value)


def test_complex_numbers_lose_their_imaginary_part_with_a_warning():
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        torch.set_warn_always(True)
        x = torch.tensor([1.7 + 2j]).to(E5M2)
        torch.set_warn_always(False)
    assert x.tolist() == [1.75]
    assert "discards the imaginary part" in str(seen[0].message)


def test_it_is_pickled_and_its_gradient_flows_back():
    x = torch.tensor([1.5, -2.0], requires_grad=True)
    y = x.to(E4M3)
    y.backward(torch.tensor([1.0, 3.0]).to(E4M3))
    assert x.grad.tolist() == [1.0, 3.0]
    again = pickle.loads(pickle.dumps(y.detach()))
    assert (again.dtype, again.tolist()) == (E4M3, [1.5, -2.0])


def test_strided_memory_is_converted_in_its_order():
    x = torch.arange(6.0).reshape(2, 3).t().to(E5M2)
    assert x.stride() == (1, 3)
    assert x.float().stride() == (1, 3)
    assert numpy.array_equal(x[::2].float().numpy(), [[0.0, 3.0], [2.0, 5.0]])


@pytest.mark.parametrize("name", NAMES)
def test_the_table_of_steps_writes_what_ml_dtypes_writes(name):
    firsts, codes = float8.steps(name)
    random = numpy.random.default_rng(0).integers(0, 2**32, 100_000, dtype=numpy.uint32)
    edges = numpy.concatenate([firsts, firsts[1:] - 1]).astype(numpy.uint32)
    patterns = numpy.concatenate([random, edges, edges | numpy.uint32(1 << 31)])
    dtype = getattr(torch, name).numpy
    expected = float8.written(patterns.view(numpy.float32), dtype)[name]
    places = (patterns & numpy.uint32(0x7FFFFFFF)).astype(numpy.int32)
    steps = numpy.searchsorted(firsts, places, "right") - 1
    found = codes[(patterns >> numpy.uint32(31)).astype(int), steps]
    assert (found == expected).all()


def test_index_put_writes_and_adds_floats_of_8_bits_one_after_the_other():
    x = torch.arange(1.0, 7.0).reshape(2, 3).to(E4M3)
    values = torch.tensor([[1.1, 1.3, 15.0], [1.1, 2, 15]] * 2).to(E4M3)
    places = (torch.tensor([0, 0, 1, 0]),)
    added = x.index_put(places, values, accumulate=True)
    assert added.tolist() == [[4.0, 7.0, 48.0], [5.0, 6.0, 20.0]]
    assert x.t().index_put(places[:0] + (torch.tensor([0, -1]),), x[:, 0]).tolist()[0] == [1.0, 4.0]
    assert x.index_put((torch.tensor([0]),), x[1, 1]).tolist()[0] == [5.0] * 3
    with pytest.raises(NotImplementedError, match='"index_put" not implemented for \'Float8_e8m0'):
        x.to(torch.float8_e8m0fnu).index_put((torch.tensor([0, 1]),), x.to(torch.float8_e8m0fnu))


def test_complex_halves_are_added_at_places_one_after_the_other():
    x = torch.tensor([1.0, 2.0]).to(torch.complex32)
    values = torch.tensor([0.1, 0.1, 1.0]).to(torch.complex32)
    found = x.index_put((torch.tensor([0, 0, 1]),), values, accumulate=True)
    assert found.tolist() == [1.19921875, 3]
