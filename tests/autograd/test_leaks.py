"""A training step leaves nothing behind but its gradients: a hundred thousand steps without the
garbage collector hold as many objects, and as much memory, at the end as at the beginning."""

import gc
import itertools
import sys
from pathlib import Path

import pytest

import minitorch as torch
from minitorch.autograd import Function
from minitorch.autograd.graph import register_multi_grad_hook, saved_tensors_hooks
from minitorch.utils.checkpoint import checkpoint


class Cube(Function):
    @staticmethod
    def forward(ctx, x):
        cube = x**3
        ctx.save_for_backward(x, cube)
        return cube, cube.detach()

    @staticmethod
    def backward(ctx, grad, _):
        x, _ = ctx.saved_tensors
        return 3 * x * x * grad


def plain(x, w):
    (x * w + w).exp().sum().backward()


def hooked(x, w):
    y = x * w
    y.register_hook(lambda grad: grad * 2)
    y.retain_grad()
    y.grad_fn.register_hook(lambda inputs, outputs: None)
    handle = w.register_post_accumulate_grad_hook(lambda w: None)
    with register_multi_grad_hook([y, w], lambda grads: None):
        y.sum().backward()
    handle.remove()


def custom(x, w):
    cube, _ = Cube.apply(w)
    cube.sum().backward()


def written(x, w):
    y = x * w
    part = y[1:]
    part.mul_(2)
    y[0] = part[0]
    y.t().add_(w).sum().backward()


def again(x, w):
    grad = torch.autograd.grad((x * w).exp().sum(), w, create_graph=True)[0]
    grad.sum().backward()


def packed(x, w):
    with saved_tensors_hooks(lambda x: x * 1, lambda x: x):
        (x * w).exp().sum().backward()


def recomputed(x, w):
    checkpoint(lambda x: (x * w).exp(), x, use_reentrant=False).sum().backward()


def recomputed_within(x, w):
    checkpoint(lambda w: (x * w).exp(), w, use_reentrant=True).sum().backward()


def transformed(x, w):
    torch.func.grad(lambda x: (x * w).exp().sum())(x).sum().backward()


def forgotten(x, w):  # a graph that never runs
    y = (x * w).exp()
    y.register_hook(lambda grad: grad * w)


STEPS = {
    plain: 72_000,
    written: 1_000,
    custom: 8_000,
    hooked: 7_000,
    forgotten: 5_000,
    packed: 3_000,
    again: 2_000,
    recomputed: 1_000,
    recomputed_within: 500,
    transformed: 500,
}


def held():
    """Objects that the collector knows, blocks of Python's allocator, and pages of the process.

    The objects are counted before a collection, which empties Python's lists of free tuples; its
    cache of names, too, is emptied.
    """
    objects = len(gc.get_objects())
    gc.collect()
    getattr(sys, "_clear_internal_caches", sys._clear_type_cache)()
    pages = Path("/proc/self/statm")
    resident = int(pages.read_text().split()[1]) if pages.exists() else 0
    return objects, sys.getallocatedblocks(), resident


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.__name__)
def test_steps_leave_nothing(step):
    x, w = torch.ones(3, 3), torch.ones(3, 3, requires_grad=True)

    def run(times):
        for _ in range(times):
            w.grad = None
            step(x, w)

    times = STEPS[step] // 3
    gc.collect()
    gc.disable()
    try:
        run(times // 5)
        seen = [held()]
        for _ in range(3):
            run(times)
            seen.append(held())
    finally:
        gc.enable()
    # What grows by chance does not grow each time.
    grown = [[b - a for a, b in itertools.pairwise(each)] for each in zip(*seen, strict=True)]
    objects, blocks, pages = map(min, grown)
    assert objects < times / 10
    assert blocks < times / 10
    assert pages < max(times / 100, 16)  # 40 bytes a step


def test_there_are_a_hundred_thousand():
    assert sum(STEPS.values()) == 100_000
