"""Random tensors: torch's numbers, the memory that they fill, and their nodes in a graph."""

import hashlib
import warnings

import pytest

import minitorch as torch


def digest(tensor: torch.Tensor) -> str:
    return hashlib.sha256(tensor.numpy().tobytes()).hexdigest()[:16]


# Drawn by PyTorch 2.13.0 after torch.manual_seed(7), with the digest of the state that it left.
DRAWS = {
    "torch.rand(3)": (
        [0.5349225401878357, 0.19880318641662598, 0.6592116951942444],
        "23a93745337b31b4",
    ),
    "torch.randn(4)": (
        [-0.1467950940132141, 0.7861412763595581, 0.9468216300010681, -1.1143440008163452],
        "6f68beddc09816be",
    ),
    "torch.randint(10, (5,))": ([5, 2, 1, 6, 3], "1b30d5da91d2f3ff"),
    "torch.randperm(6)": ([3, 0, 1, 5, 2, 4], "1b30d5da91d2f3ff"),
    "torch.bernoulli(torch.full((6,), 0.5))": ([0, 1, 0, 0, 1, 1], "855b920b20631514"),
    "torch.multinomial(torch.tensor([0.1, 0.2, 0.7]), 4, True)": ([1, 1, 2, 2], "6f68beddc09816be"),
    "torch.normal(torch.tensor([0.0, 10.0]), 2.0)": (
        [-0.2935901880264282, 11.572282791137695],
        "7c05c5e84b679f10",
    ),
    "torch.poisson(torch.tensor([1.0, 5.0, 50.0]))": ([0, 9, 35], "2c52495b0ce80970"),
    "torch.empty(3).exponential_()": (
        [0.3276439309120178, 0.319783478975296, 1.981175422668457],
        "855b920b20631514",
    ),
}


@pytest.mark.parametrize("call", DRAWS)
def test_the_numbers_and_the_state_are_torchs(call):
    torch.manual_seed(7)
    values, state = DRAWS[call]
    assert eval(call).tolist() == values
    assert digest(torch.get_rng_state()) == state


def test_a_transposed_tensor_is_filled_in_the_order_of_its_memory():
    plain = torch.empty(3, 2).uniform_()
    torch.manual_seed(0)
    turned = torch.empty(3, 2).t().uniform_()
    assert turned.t().tolist() == plain.tolist()


def test_likenesses_keep_the_layout():
    x = torch.empty(2, 3, 4).transpose(0, 2)
    for name in ("rand_like", "randn_like"):
        assert getattr(torch, name)(x).stride() == x.stride()
    assert torch.randint_like(x, 3).stride() == x.stride()


def test_a_generator_of_its_own_leaves_the_default_one_alone():
    before = torch.get_rng_state().tolist()
    generator = torch.Generator().manual_seed(1)
    torch.rand(3, generator=generator)
    torch.ones(3).normal_(generator=generator)
    torch.multinomial(torch.ones(4), 2, generator=generator)
    assert torch.get_rng_state().tolist() == before


def test_out_is_resized_filled_and_returned():
    out = torch.empty(0)
    assert torch.rand(2, 3, out=out) is out
    assert out.shape == (2, 3)
    with pytest.raises(RuntimeError, match="dtype Double does not match dtype of out parameter"):
        torch.rand(2, out=out, dtype=torch.float64)


IN_PLACE = {
    "uniform_()": "UniformBackward0",
    "normal_()": "NormalBackward0",
    "log_normal_()": "LogNormalBackward0",
    "exponential_()": "ExponentialBackward0",
    "geometric_(0.5)": "GeometricBackward0",
    "cauchy_()": "CauchyBackward0",
    "bernoulli_()": "BernoulliBackward2",
    "bernoulli_(torch.full((3,), 0.5))": "BernoulliBackward1",
    "random_(1, 3)": "RandomBackward0",
    "random_(3)": "RandomBackward1",
    "random_()": "RandomBackward2",
}


@pytest.mark.parametrize("call", IN_PLACE)
def test_a_draw_into_a_tensor_is_recorded_counted_and_cuts_the_gradient(call):
    leaf = torch.ones(3, requires_grad=True)
    x = leaf * 2
    version = x._version
    assert eval(f"x.{call}") is x
    assert type(x.grad_fn).__name__ == IN_PLACE[call]
    assert x._version == version + 1
    x.sum().backward()
    assert leaf.grad.tolist() == [0, 0, 0]


def test_a_leaf_is_filled_under_no_grad_only():
    leaf = torch.zeros(3, requires_grad=True)
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
        leaf.normal_()
    assert leaf.tolist() == [0, 0, 0]
    with torch.no_grad():
        leaf.normal_()
    assert leaf.is_leaf
    assert leaf._version == 1


def test_memory_that_is_shared_by_elements_is_not_filled():
    with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
        torch.ones(1).expand(3).uniform_()


def test_draws_without_a_gradient_say_so_in_backward():
    x = torch.full((3,), 0.5, requires_grad=True)
    with pytest.raises(RuntimeError, match="derivative for aten::bernoulli is not implemented"):
        torch.bernoulli(x, 0.5).sum().backward()


RANDOM = """\
random_() received an invalid combination of arguments - got (float), but expected one of:
 * (*, torch.Generator generator = None)
 * (int from, int to, *, torch.Generator generator = None)
 * (int to, *, torch.Generator generator = None)
"""


@pytest.mark.parametrize(
    ("call", "text"),
    [
        ("torch.rand('a')", "rand(): argument 'size' (position 1) must be tuple of ints, not str"),
        ("torch.ones(2).geometric_()", 'geometric_() missing 1 required positional arguments: "p"'),
        ("torch.ones(2).uniform_(x=1)", "uniform_() got an unexpected keyword argument 'x'"),
        (
            "torch.ones(2).uniform_(0, 1, 2)",
            "uniform_() takes from 0 to 2 positional arguments but 3 were given",
        ),
        (
            "torch.ones(2).normal_(torch.ones(2))",
            "normal_(): argument 'mean' (position 1) must be float, not Tensor",
        ),
        (
            "torch.randn_like([1])",
            "randn_like(): argument 'input' (position 1) must be Tensor, not list",
        ),
        (
            "torch.ones(2).random_(1.5)",
            RANDOM,
        ),
    ],
)
def test_wrong_arguments_are_refused_in_torchs_words(call, text):
    with pytest.raises(TypeError) as caught:
        eval(call)
    assert str(caught.value) == text


def test_whole_numbers_are_not_drawn_from_continuous_distributions():
    for name in ("rand", "randn"):
        with pytest.raises(NotImplementedError, match="not implemented for 'Long'"):
            getattr(torch, name)(2, dtype=torch.int64)


def test_an_out_that_shares_elements_is_not_filled():
    with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
        torch.bernoulli(torch.ones(3), out=torch.ones(1).expand(3))


def test_multinomial_resizes_out_in_silence(recwarn) -> None:
    out = torch.zeros(2, 3, dtype=torch.int64)
    torch.multinomial(torch.ones(4), 3, out=out)
    assert out.shape == (3,)
    assert not recwarn.list


def test_normal_warns_before_it_resizes_out_where_the_deviations_are_a_tensor():
    with pytest.warns(UserWarning, match="was resized"):
        torch.normal(torch.zeros(2), torch.ones(2), out=torch.empty(3))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        torch.normal(torch.zeros(2), 1.0, out=torch.empty(1))


def test_multinomial_holds_no_more_memory_than_what_it_drew():
    for weights in (torch.ones(10), torch.ones(2, 10)):
        for count, replacement in ((1, False), (3, False), (3, True)):
            drawn = torch.multinomial(weights, count, replacement)
            assert drawn.untyped_storage().nbytes() == drawn.nbytes
            assert drawn.is_contiguous()


def test_randint_refuses_floats_and_bools_in_tensors():
    with pytest.raises(TypeError, match=r"randint\(\): argument .high. \(position 1\) must be int"):
        torch.randint(torch.tensor(3.0), (2,))
    with pytest.raises(RuntimeError, match="INTERNAL ASSERT FAILED"):
        torch.randint(torch.tensor(True), (2,))
    assert torch.randint_like(torch.ones(2), torch.tensor(1 + 0j)).tolist() == [0.0, 0.0]
