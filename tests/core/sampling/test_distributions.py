"""The promises of distributions beside their bits: order, words drawn, arguments, errors."""

from __future__ import annotations

import hashlib
import math

import numpy as np
import pytest

from minitorch.core import sampling
from minitorch.core.sampling import MersenneTwister


def words_drawn(fill, *arguments) -> int:
    generator = MersenneTwister(1)
    fill(generator, *arguments)
    following = generator.words(1)[0]
    return int(np.flatnonzero(MersenneTwister(1).words(5000) == following)[0])


def test_the_first_uniforms_of_seed_42_are_those_everyone_knows():
    generator, out = MersenneTwister(42), np.empty(3, np.float32)
    sampling.uniform(generator, out)
    assert [x.hex() for x in out.tolist()] == [
        "0x1.c3b8cc0000000p-1",
        "0x1.d47b660000000p-1",
        "0x1.880d700000000p-2",
    ]


@pytest.mark.parametrize(
    ("fill", "dtype", "size", "words"),
    [
        (sampling.uniform, "f4", 10, 10),
        (sampling.uniform, "f8", 10, 20),
        (sampling.normal, "f4", 5, 12),
        (sampling.normal, "f4", 32, 32),
        (sampling.normal, "f4", 33, 49),
        (sampling.normal, "f8", 33, 98),
        (sampling.normal, "f2", 33, 48),
        (sampling.bernoulli, "f4", 10, 20),
        (sampling.exponential, "f4", 10, 20),
        (sampling.log_normal, "f4", 40, 80),
        (sampling.permutation, "i8", 10, 9),
        (sampling.permutation, "i8", 1000, 999),
    ],
)
def test_each_element_draws_its_number_of_words(fill, dtype, size, words):
    assert words_drawn(fill, np.empty(size, dtype)) == words


def test_a_range_from_2_to_the_28_on_draws_two_words():
    assert words_drawn(sampling.random_range, np.empty(10, "i8"), 0, 2**28 - 1) == 10
    assert words_drawn(sampling.random_range, np.empty(10, "i8"), 0, 2**28) == 20


@pytest.mark.parametrize("fill", [sampling.uniform, sampling.bernoulli, sampling.exponential])
def test_values_follow_the_memory_and_not_the_indices(fill):
    plain, memory = np.empty(24, np.float32), np.empty((2, 3, 4), np.float32)
    fill(MersenneTwister(1), plain)
    fill(MersenneTwister(1), memory.transpose(2, 0, 1))
    assert np.array_equal(memory.reshape(-1), plain)


def test_a_slice_leaves_what_lies_between_its_elements():
    memory = np.full((6, 8), 9.0, np.float32)
    sampling.uniform(MersenneTwister(1), memory[::2, 1::3])
    assert (memory != 9.0).sum() == 9
    assert (memory[::2, 1::3] != 9.0).all()


def test_the_cached_normal_is_used_across_calls_and_skipped_by_blocks():
    pieces, whole = np.empty(15), np.empty(15)
    generator = MersenneTwister(3)
    sampling.normal(generator, pieces[:3])
    cached = generator.cached_normal
    sampling.normal(generator, np.empty(64))
    assert generator.cached_normal == cached
    generator = MersenneTwister(3)
    for piece in (pieces[:3], pieces[3:4], pieces[4:]):
        sampling.normal(generator, piece)
    sampling.normal(MersenneTwister(3), whole)
    assert np.array_equal(pieces, whole)


def test_a_value_rounded_up_to_the_upper_bound_becomes_the_lower_one():
    out = np.empty(100000, np.float16)
    sampling.uniform(MersenneTwister(1), out)
    assert out.max() < 1.0
    out = np.empty(1000, np.float32)
    sampling.uniform(MersenneTwister(1), out, 1.0, 1.0 + 2.0**-23)
    assert (out == 1.0).all()


PERMUTATIONS = [
    (0, "76fe321e2dc1"),
    (1, "056d6c98f2dc"),
    (2, "c554512872bb"),
    (10, "fed1d8c19197"),
    (200, "8053ba686015"),
    (201, "82ce42f89a68"),
    (5000, "333bb2d97562"),
    (100003, "678f6d00ae60"),
]


def test_permutations_have_the_bits_of_torch_with_and_without_the_loop():
    generator = MersenneTwister(3)
    for size, expected in PERMUTATIONS:
        out = np.empty(size, np.int64)
        sampling.permutation(generator, out)
        content = out.tobytes() + generator.state().tobytes()
        assert hashlib.sha256(content).hexdigest()[:12] == expected, size


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_multinomial_draws_the_indices_of_torch(dtype):
    weights = np.array([[0.1, 0.0, 0.4, 0.2], [3, 1, 2, 0.5]]).astype(dtype)
    generator = MersenneTwister(7)
    draw = sampling.multinomial
    assert draw(generator, weights, 3).tolist() == [[0, 2, 3], [2, 0, 3]]
    assert draw(generator, weights, 1).tolist() == [[2], [1]]
    assert draw(generator, weights, 6, True).tolist() == [[0, 3, 0, 3, 3, 3], [2, 0, 2, 2, 3, 2]]


@pytest.mark.parametrize(
    ("dtype", "poisson", "gamma", "bernoulli", "state"),
    [
        (
            "float32",
            [0.0, 0.0, 5.0, 6.0, 6.0, 68.0, 10047.0, 1000000054099968.0],
            [
                1.1754943508222875e-38,
                0.046425167471170425,
                0.14284785091876984,
                0.7988948822021484,
                100.97551727294922,
                100104.1328125,
            ],
            [0.0, 1.0, 0.0, 1.0, 0.0],
            "c953eaf79977",
        ),
        (
            "float64",
            [0.0, 0.0, 5.0, 6.0, 6.0, 68.0, 10047.0, 1000000033513622.0],
            [
                5.835706138629339e-130,
                0.046425175170730235,
                0.14284787088225262,
                0.7988948393667914,
                100.97551986329603,
                100104.1388821349,
            ],
            [0.0, 1.0, 0.0, 0.0, 0.0],
            "556deac4f473",
        ),
    ],
)
def test_distributions_with_array_parameters_give_the_values_of_torch(
    dtype, poisson, gamma, bernoulli, state
):
    generator = MersenneTwister(7)

    def draw(fill, *parameters):
        arrays = [np.array(p, np.float32).astype(dtype) for p in parameters]
        out = np.empty_like(arrays[0])
        fill(generator, out, *arrays)
        return out.tolist()

    assert draw(sampling.poisson, [0.0, 0.5, 3, 9.9, 10, 55, 1e4, 1e15]) == poisson
    assert draw(sampling.standard_gamma, [0.01, 0.3, 1, 2.5, 100, 1e5]) == gamma
    counts, chances = [0.0, 5, 40, 40, 1000, 1e6], [0.5, 0.3, 0.9, 0.1, 0.4, 0.75]
    assert draw(sampling.binomial, counts, chances) == [0.0, 2.0, 37.0, 3.0, 394.0, 749295.0]
    assert draw(sampling.bernoulli_each, [0, 1, 0.3, 0.7, 0.5]) == bernoulli
    assert hashlib.sha256(generator.state().tobytes()).hexdigest()[:12] == state


def test_a_dropout_mask_holds_zeros_and_the_scale():
    out = np.empty(8, np.float32)
    sampling.dropout_mask(MersenneTwister(7), out, 0.3)
    kept = float(np.float32(1.4285714626312256))
    assert out.tolist() == [kept, kept, 0.0, kept, 0.0, 0.0, kept, kept]


@pytest.mark.parametrize(
    ("fill", "dtype", "arguments", "error", "message"),
    [
        ("uniform", "f4", (2, 1), RuntimeError, "[from, to) range, but found from=2 > to=1"),
        ("uniform", "f4", (0, 1e39), RuntimeError, "to is out of bounds for float"),
        ("uniform", "f4", (math.nan, 1), RuntimeError, "from is out of bounds for float"),
        ("uniform", "f2", (-7e4, 1), RuntimeError, "from is out of bounds for c10::Half"),
        ("uniform", "f4", (-3e38, 3e38), RuntimeError, "numeric_limits<Float>::max(), but found"),
        (
            "uniform",
            "i8",
            (),
            NotImplementedError,
            '"check_uniform_bounds" not implemented for \'L',
        ),
        ("normal", "f4", (0, -1), RuntimeError, "normal expects std >= 0.0, but found std -1"),
        (
            "normal",
            "i8",
            (),
            NotImplementedError,
            "\"normal_kernel_cpu\" not implemented for 'Long'",
        ),
        (
            "log_normal",
            "f4",
            (0, 0),
            RuntimeError,
            "log_normal_ expects std > 0.0, but found std=0",
        ),
        ("bernoulli", "f4", (1.5,), RuntimeError, "expects p to be in [0, 1], but got p=1.5"),
        ("bernoulli", "u2", (), NotImplementedError, '"bernoulli_scalar_cpu_" not implemented for'),
        ("exponential", "f4", (-1,), RuntimeError, "lambda > 0.0, but found lambda=-1"),
        ("exponential", "i8", (), RuntimeError, "must be a floating point but you specified Long"),
        ("cauchy", "f4", (0, 0), RuntimeError, "cauchy_ expects sigma > 0.0, but found sigma=0"),
        ("cauchy", "i8", (), RuntimeError, "must be a floating point but you specified long int"),
        ("geometric", "f4", (1,), RuntimeError, "expects p to be in (0, 1), but got p=1"),
        (
            "geometric",
            "?",
            (0.5,),
            NotImplementedError,
            '"geometric_cpu" not implemented for \'Bool',
        ),
        ("random_range", "i8", (5, 3), RuntimeError, "but got from=5 >= to=3"),
        ("random_range", "u1", (0, 300), RuntimeError, "to - 1 is out of bounds for unsigned char"),
        ("random_range", "?", (0, 3), RuntimeError, "to - 1 is out of bounds for bool"),
        ("random_range", "u1", (-1, 3), RuntimeError, "from is out of bounds for unsigned char"),
        ("random_range", "c8", (0, 3), RuntimeError, "check_random_bounds handles only integral"),
        (
            "random_full",
            "u4",
            (),
            NotImplementedError,
            '"random_kernel_cpu" not implemented for \'UI',
        ),
    ],
)
def test_bad_arguments_get_the_error_of_torch_and_draw_nothing(
    fill, dtype, arguments, error, message
):
    generator, out = MersenneTwister(1), np.ones(3, dtype)
    before = generator.state()
    with pytest.raises(error) as caught:
        getattr(sampling, fill)(generator, out, *arguments)
    assert message in str(caught.value)
    assert (out == 1).all()
    assert np.array_equal(generator.state(), before)


@pytest.mark.parametrize(
    ("weights", "count", "replacement", "message"),
    [
        ([0.0, 0, 0], 1, False, "invalid multinomial distribution (sum of probabilities <= 0)"),
        ([0.0, 0, 0], 2, True, "invalid multinomial distribution (sum of probabilities <= 0)"),
        ([1.0, -1], 1, False, "contains either `inf`, `nan` or element < 0"),
        ([1.0, -1], 2, True, "(encountering probability entry < 0)"),
        ([1.0, math.inf], 2, True, "(encountering probability entry = infinity or NaN)"),
        ([1.0, 1], 3, False, "cannot sample n_sample > prob_dist.size(-1) samples without"),
        ([1.0, 1], 0, False, "cannot sample n_sample <= 0 samples"),
        (1.0, 1, False, "prob_dist must be 1 or 2 dim"),
    ],
)
def test_multinomial_refuses_what_torch_refuses(weights, count, replacement, message):
    with pytest.raises(RuntimeError) as caught:
        sampling.multinomial(MersenneTwister(1), np.array(weights), count, replacement)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("count", "dtype", "error", "message"),
    [
        (-1, "i8", RuntimeError, "Trying to create tensor with negative dimension -1: [-1]"),
        (2050, "f2", RuntimeError, "n cannot be greater than 2049 for Half type."),
        (257, "u1", RuntimeError, "value cannot be converted to type uint8_t without overflow"),
        (5, "?", NotImplementedError, "\"randperm\" not implemented for 'Bool'"),
    ],
)
def test_permutation_lengths_are_checked_by_dtype(count, dtype, error, message):
    with pytest.raises(error) as caught:
        sampling.check_permutation_length(count, np.dtype(dtype))
    assert str(caught.value) == message


def test_a_range_beyond_the_digits_of_a_float_warns():
    with pytest.warns(UserWarning, match=r"to - 1 is out of bounds \[-\(2\^24\), 2\^24\]"):
        sampling.random_range(MersenneTwister(1), np.empty(3, np.float32), 0, 2**40)


def test_no_floating_point_warning_gets_out():
    with np.errstate(all="raise"):
        for dtype in (np.float16, np.float32, np.float64):
            out = np.empty(40, dtype)
            sampling.log_normal(MersenneTwister(1), out, 0.0, 3000.0)
            assert np.isinf(out).any()
            sampling.exponential(MersenneTwister(1), out, 1e-300)
            sampling.normal(MersenneTwister(1), out, 1e30, 1e300)
            sampling.uniform(MersenneTwister(1), out, 0.0, 1e-40)


def test_gamma_values_of_shapes_that_are_none_are_no_errors():
    shapes = np.array([np.inf, np.nan, -1.0], np.float32)
    out = np.empty_like(shapes)
    sampling.standard_gamma(MersenneTwister(0), out, shapes)
    tiny = np.finfo(np.float32).tiny
    assert out.tolist() == [np.inf, tiny, tiny]
