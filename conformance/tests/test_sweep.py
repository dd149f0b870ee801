"""The sweep of the benchmarks: its samples, their sizes, and when a race is over."""

import os
import time

import torch

import minitorch
from benchmarks.sweep import children, samples, timing


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


def test_a_result_larger_than_its_operands_counts():
    x, y = torch.ones(5, 1), torch.ones(1, 5)
    call = samples.scaled(samples.Call("mul", "torch.mul", (x, y), {}, True), 10**5)
    result = torch.mul(*call.args)
    assert 10**5 / 3 <= result.numel() <= 3 * 10**5


def test_a_size_grows_no_further_than_torch_is_quick(monkeypatch):
    seconds_of = {5: 1e-4, 10: 8e-4, 15: 2e-3, 20: 6e-3}

    def runs(call):
        side = call.args[0].shape[-1]
        return samples.Trial(seconds_of.get(side, side**3 * 8e-7), side**2)

    monkeypatch.setattr(samples, "runs", runs)
    x = torch.ones(5, 5)
    call = samples.scaled(samples.Call("svd", "torch.svd", (x,), {}, True), 10**6)
    side = call.args[0].shape[-1]
    assert samples.LONGEST / 8 <= side**3 * 8e-7 <= 2 * samples.LONGEST


def test_a_childs_results_come_until_it_ends():
    def work():
        yield 1
        yield "two"

    def crash():
        yield 1
        os._exit(3)

    def stall():
        yield 1
        time.sleep(60)

    assert list(children.results(work, 10)) == [1, "two"]
    assert list(children.results(crash, 10)) == [1, children.Ended("crashed with exit code 3")]
    assert list(children.results(stall, 0.5)) == [1, children.Ended("gave nothing for 0 s")]


def test_a_call_is_carried_to_the_other_library():
    x = torch.randn(3, 2).t()
    found = samples.carried(minitorch, x)
    assert type(found) is minitorch.Tensor
    assert found.tolist() == x.tolist()
    assert samples.carried(minitorch, torch.float64) is minitorch.float64


def test_kinds_of_a_call_are_timed_in_both_libraries():
    call = of("mul", "tiny")
    assert all(tensor.requires_grad for tensor in call.tensors)
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
