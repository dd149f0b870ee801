"""DistributedDataParallel sends gradients while backward goes on: over a wire that is simulated."""

import time
import types

import pytest

import minitorch as torch
import minitorch.distributed as dist
from minitorch.distributed import steps

LAYERS, SECONDS = 5, 0.04  # of backward in each layer, and of the wire for its gradients


class Slow(torch.autograd.Function):
    """Passes on; its backward takes its time, and leaves the processor alone."""

    @staticmethod
    def forward(ctx, x):
        return x.clone()

    @staticmethod
    def backward(ctx, grad):
        time.sleep(SECONDS)
        return grad


class Later:
    """A request that is done at a certain time."""

    def __init__(self, end):
        self.end = end

    def Test(self):
        return time.monotonic() >= self.end


def slow_wire(seconds_per_byte):
    """The operations of gloo, where one all-reduce after another takes time by its bytes."""
    free = [0.0]

    def all_reduce(channel, call, array, op):
        free[0] = max(time.monotonic(), free[0]) + array.nbytes * seconds_per_byte
        end = free[0]
        yield from steps.all_reduce(channel, call, array, op)
        yield Later(end)

    names = {name: getattr(steps, name) for name in steps.__all__}
    return types.SimpleNamespace(**{**names, "all_reduce": all_reduce})


@pytest.fixture
def slow_world():
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    dist.group.WORLD.operations._steps = slow_wire(SECONDS / (4 * 64 * 64))
    yield
    dist.destroy_process_group()


class Layers(torch.nn.Module):
    """Layers of one size, whose backward is slow."""

    def __init__(self):
        super().__init__()
        made = [torch.nn.Linear(64, 64, bias=False) for _ in range(LAYERS)]
        self.layers = torch.nn.ModuleList(made)

    def forward(self, x):
        for layer in self.layers:
            x = Slow.apply(layer(x))
        return x


def seconds_a_step(cap):
    """The least of some steps, after that in which the buckets are made anew."""
    model = torch.nn.parallel.DistributedDataParallel(Layers(), bucket_cap_mb=cap)
    times = []
    for _ in range(3):
        start = time.monotonic()
        model(torch.ones(1, 64)).sum().backward()
        times.append(time.monotonic() - start)
    return min(times[1:])


def test_buckets_hide_the_wire_behind_backward(slow_world):
    together, apart = seconds_a_step(25), seconds_a_step(0.001)
    assert together > 2 * LAYERS * SECONDS  # one bucket is sent when backward is over
    assert apart < together - 0.5 * LAYERS * SECONDS
