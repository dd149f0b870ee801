"""torch.nn.parallel: arguments taken apart and put together, and refusals without several GPUs."""

from collections import namedtuple
from importlib import import_module

import pytest

import minitorch as torch
from minitorch import nn
from minitorch.nn.parallel import gather, parallel_apply, replicate, scatter, scatter_gather

Pair = namedtuple("Pair", "a b")


def test_what_is_no_tensor_goes_to_each_device():
    assert scatter((1, "a", [2]), [0, 1]) == [(1, "a", [2])] * 2
    assert scatter({"x": Pair(1, 2)}, [0, 1]) == [{"x": Pair(1, 2)}] * 2
    assert scatter([], [0]) == [[]]


def test_places_and_names_are_filled_up():
    both = scatter_gather.scatter_kwargs((1,), {"k": 3}, [0, 1])
    assert both == (((1,), (1,)), ({"k": 3}, {"k": 3}))
    assert scatter_gather.scatter_kwargs((), {"k": 3}, [0]) == (((),), ({"k": 3},))


def test_tensors_on_the_cpu_are_refused():
    x, layer = torch.ones(2), nn.Linear(2, 2)
    with pytest.raises(NotImplementedError, match=r"torch\.nn\.parallel\.comm\.scatter"):
        scatter(x, [0])
    with pytest.raises(AssertionError, match="Gather function not implemented for CPU tensors"):
        gather([{"a": x}, {"a": x}], 0)
    with pytest.raises(AssertionError, match="Broadcast function not implemented"):
        replicate(layer, [0])
    with pytest.raises(AssertionError, match="The number of modules 2 is not equal"):
        parallel_apply([layer, layer], [x])
    with pytest.raises(RuntimeError, match="device type could not be determined"):
        nn.parallel.data_parallel(layer, x, [0])


def test_the_first_tensor_is_found_in_trees():
    x = torch.ones(1)
    get_a_var = import_module("minitorch.nn.parallel.parallel_apply").get_a_var
    assert get_a_var({"a": [1, (x,)]}) is x
    assert get_a_var([1]) is None
