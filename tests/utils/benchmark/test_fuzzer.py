"""torch.utils.benchmark.Fuzzer: torch's shapes and numbers for the same seed."""

import numpy
import pytest

import minitorch as torch
from minitorch.utils.benchmark import (
    FuzzedParameter,
    FuzzedSparseTensor,
    FuzzedTensor,
    Fuzzer,
    ParameterAlias,
)


def _fuzzer():
    parameters = [
        FuzzedParameter("n", 2, 9, "uniform"),
        [FuzzedParameter("k", 1, 64, "loguniform"), FuzzedParameter("step", 1, 2, "uniform")],
    ]
    tensors = [
        FuzzedTensor("x", ("n", "k"), steps=("step",), min_elements=8, max_elements=128),
        FuzzedTensor("y", ("n",), dtype=torch.int64),
    ]
    return Fuzzer(parameters, tensors, seed=3)


def test_a_fuzzer_makes_the_tensors_of_torch_for_a_seed():
    fuzzer = _fuzzer()
    sets = list(fuzzer.take(3))
    assert [params for _, _, params in sets] == [
        {"n": 3, "k": 32, "step": 1},
        {"n": 8, "k": 6, "step": 1},
        {"n": 4, "k": 3, "step": 1},
    ]
    assert [tensors["x"].stride() for tensors, _, _ in sets] == [(1, 3), (6, 1), (3, 1)]
    assert sets[0][0]["x"].flatten()[:2].tolist() == [0.2876076102256775, 0.686290979385376]
    assert sets[2][0]["y"].tolist() == [5, 30, 123, 75]
    known = sets[0][1]["x"]
    assert known.pop("order").tolist() == [1, 0]
    assert known == {
        "numel": 96,
        "steps": (1, 1),
        "is_contiguous": False,
        "dtype": "torch.float32",
    }
    assert fuzzer.rejection_rate == 0.25


def test_a_fuzzer_makes_the_sparse_tensors_of_torch_for_a_seed():
    parameters = [
        FuzzedParameter("n", 2, 9, "uniform"),
        FuzzedParameter("density", 0.2, 0.9, "uniform"),
        FuzzedParameter("coalesced", 0, 1, "uniform"),
    ]
    fuzzer = Fuzzer(parameters, [FuzzedSparseTensor("x", ("n", 4))], seed=1)
    (first, known, _), (second, _, _), (third, _, _) = fuzzer.take(3)
    assert (first["x"]._nnz(), second["x"]._nnz()) == (8, 18)
    assert known["x"]["is_coalesced"]
    assert not second["x"].is_coalesced()
    assert third["x"].indices().tolist() == [[0, 0, 1], [1, 2, 0]]
    assert third["x"].values().tolist() == pytest.approx([0.9539, 0.9991, 0.9978], abs=1e-4)


def test_constraints_have_parameters_drawn_again_and_strict_ones_stay():
    seen = []

    def constraint(params):
        seen.append((params["strict"], params["free"]))
        return params["free"] > 7

    parameters = [
        FuzzedParameter("strict", 0, 1000, "uniform", strict=True),
        FuzzedParameter("free", 0, 9, "uniform"),
    ]
    fuzzer = Fuzzer(parameters, [], constraints=[constraint], seed=0)
    ((_, _, params),) = fuzzer.take(1)
    assert params["free"] > 7
    assert len({strict for strict, _ in seen}) == 1
    assert len({free for _, free in seen}) > 1


def test_aliases_have_the_values_of_others_and_may_not_go_in_a_circle():
    chain = {"a": ParameterAlias("b"), "b": ParameterAlias("c"), "c": 3}
    assert Fuzzer._resolve_aliases(chain) == {"a": 3, "b": 3, "c": 3}
    with pytest.raises(ValueError, match="ParameterAlias cycle detected"):
        Fuzzer._resolve_aliases({"a": ParameterAlias("b"), "b": ParameterAlias("a")})


def test_parameters_that_no_set_can_have_are_refused():
    impossible = Fuzzer(
        [FuzzedParameter("k", 1, 5, "uniform")], [FuzzedTensor("x", ("k",), min_elements=9)], seed=0
    )
    with pytest.raises(ValueError, match="Failed to generate a set of valid parameters"):
        next(impossible.take(1))
    with pytest.raises(ValueError, match=r"Duplicate names in parameters and tensors: {'x'}"):
        Fuzzer([FuzzedParameter("x", 1, 5, "uniform")], [FuzzedTensor("x", (3,))])


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ("Unknown distribution: None", {}),
        ("Probabilities cannot be negative", {"distribution": {1: -0.5, 2: 1.5}}),
        ("Distribution is not normalized", {"distribution": {1: 0.5, 2: 0.5}}),
        ("'minval' must be None", {"distribution": {1: 0.5}, "minval": 1}),
    ],
)
def test_distributions_are_refused_as_torch_refuses_them(text, arguments):
    with pytest.raises(AssertionError, match=text):
        FuzzedParameter("p", **arguments)


def test_sizes_of_tensors_may_be_larger_than_any_integer_of_numpy():
    huge = FuzzedTensor("x", (2**40, 2**40), max_elements=10)
    assert not huge.satisfies_constraints({})
    state = numpy.random.RandomState(0)
    assert FuzzedParameter("f", 0.0, 1.0, "uniform").sample(state) == 0.5488135039273248
