"""The sweep of the benchmarks: its samples, their sizes, and when a race is over."""

import torch

import minitorch
from benchmarks.sweep import samples, timing


def of(name, size):
    return samples.sample(name, samples.operators()[name], size)


def test_tiny_samples_are_torchs_own_and_larger_ones_are_made_of_them():
    tiny, medium = of("add", "tiny"), of("add", "medium")
    assert 2 <= samples.largest(tiny) <= 50
    assert samples.SIZES["medium"] / 4 <= samples.largest(medium) <= samples.SIZES["medium"] * 4


def test_a_size_grows_wherever_it_stands():
    x, y = torch.ones(2, 3), torch.ones(3, 5)
    call = samples.Call("matmul", "torch.matmul", (x, [y]), {"out": None}, True)
    made = samples.multiplied(call, 3, 4)
    assert [tuple(each.shape) for each in made.tensors] == [(2, 12), (12, 5)]
    assert samples.runs(made) is None  # a list is no matrix
    assert samples.scaled(call, 10**5) is None


def test_a_call_is_carried_to_the_other_library():
    x = torch.randn(3, 2).t()
    found = samples.carried(minitorch, x)
    assert type(found) is minitorch.Tensor
    assert found.tolist() == x.tolist()
    assert samples.carried(minitorch, torch.float64) is minitorch.float64


def test_kinds_of_a_call_are_timed_in_both_libraries():
    call = of("mul", "tiny")
    for library in (torch, minitorch):
        for kind in timing.KINDS:
            assert timing.sampler(library, call, kind)(3) >= 0
    assert timing.sampler(torch, of("argmax", "tiny"), "backward") is None


def test_a_race_ends_when_the_ratio_is_clear():
    ours, theirs, width = timing.race([lambda n: 2e-4 * n, lambda n: 1e-4 * n], 5)
    assert (ours, theirs, width) == (2e-4, 1e-4, 0)


def test_the_interval_of_a_median_is_as_wide_as_its_ranks():
    assert timing.interval([1.0] * 21) == 0
    assert timing.interval([0.5, *[1.0] * 19, 2.0]) == 0
    assert timing.interval([*[1.0] * 10, *[2.0] * 11]) == 0.5
