"""Backward in several threads at once, and graphs that are freed without the garbage collector."""

import gc
import sys
import threading
import weakref

import pytest

import minitorch as torch


@pytest.fixture
def hasty():
    """Threads that take turns as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.fixture
def without_collector():
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def in_threads(work, count=4):
    threads = [threading.Thread(target=work) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


@pytest.mark.usefixtures("hasty")
def test_no_gradient_is_lost():
    x = torch.ones(20_000, requires_grad=True)

    def work():
        for _ in range(20):
            (x * 2).sum().backward()

    in_threads(work)
    assert x.grad.unique().tolist() == [160.0]


@pytest.mark.usefixtures("hasty")
def test_no_gradient_is_lost_with_hooks_and_through_a_graph_that_is_kept():
    calls = []
    x = torch.ones(20_000, requires_grad=True)
    x.register_hook(lambda grad: calls.append("leaf") or grad * 2)
    x.register_post_accumulate_grad_hook(lambda leaf: calls.append("accumulated"))
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t.detach() * 2, lambda t: t / 2):
        y = (x * x).sum()

    def work():
        for _ in range(5):
            y.backward(retain_graph=True)

    in_threads(work)
    assert x.grad.unique().tolist() == [80.0]
    assert (calls.count("leaf"), calls.count("accumulated")) == (20, 20)


def test_a_hook_on_several_tensors_hears_of_each_backward():
    calls = []
    x, w = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    torch.autograd.graph.register_multi_grad_hook((x, w), calls.append)
    in_threads(lambda: (x * w).sum().backward())
    assert len(calls) == 4


def test_modes_belong_to_their_thread():
    seen = []
    with torch.no_grad(), torch.inference_mode():
        in_threads(
            lambda: seen.append((torch.is_grad_enabled(), torch.is_inference_mode_enabled())), 1
        )
    assert seen == [(True, False)]


def test_a_hook_may_wait_for_a_backward_of_another_thread():
    x, w = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    x.register_post_accumulate_grad_hook(
        lambda leaf: in_threads(lambda: (w * 2).sum().backward(), 1)
    )
    (x * 3).sum().backward()
    assert w.grad.tolist() == [2.0, 2.0]


@pytest.mark.usefixtures("without_collector")
@pytest.mark.parametrize(
    "run",
    [
        lambda y, x: y.backward(),
        lambda y, x: y.backward(retain_graph=True),
        lambda y, x: torch.autograd.grad(y, x),
        lambda y, x: torch.autograd.grad(y, x, create_graph=True),
        lambda y, x: None,
    ],
)
def test_a_graph_goes_with_the_last_who_holds_it(run):
    x = torch.ones(2, requires_grad=True)
    y = (x * 2).exp()
    y.register_hook(lambda grad: grad)
    y.retain_grad()
    z = y.sum()
    node, end = weakref.ref(y.grad_fn), weakref.ref(z.grad_fn)
    run(z, x)
    x.grad = None
    del y, z
    assert node() is None
    assert end() is None


@pytest.mark.usefixtures("without_collector")
def test_a_saved_tensor_goes_when_its_node_has_run():
    x = torch.ones(2, requires_grad=True)
    y = x.exp()
    gone = weakref.ref(y)
    z = (y * y).sum()
    del y
    assert gone() is not None
    z.backward()
    assert gone() is None
