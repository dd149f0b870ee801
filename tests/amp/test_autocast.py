"""Autocast: the dtypes in which operators run, weights cast once, and the state afterwards."""

import threading

import pytest

import minitorch as torch
from minitorch.amp import casting
from minitorch.core.base.modes import ASSEMBLED_GLOBALS, TENSOR_FORMULAS
from minitorch.nn import functional as F
from tests.strict_array import registered

BF16, F32, F64 = torch.bfloat16, torch.float32, torch.float64


def matrices(dtype=F32):
    return torch.ones(2, 2, dtype=dtype), torch.ones(2, 2, dtype=dtype)


@pytest.fixture
def bfloat16():
    with torch.autocast("cpu"):
        yield


@pytest.mark.usefixtures("bfloat16")
def test_operators_choose_their_dtype():
    x, y = matrices()
    h = x.to(BF16)
    assert (x @ y).dtype is torch.mm(x, y).dtype is torch.addmm(x, x, y).dtype is BF16
    assert F.linear(x, y).dtype is torch.bmm(x[None], y[None]).dtype is BF16
    assert F.conv1d(x[None], x[None]).dtype is F.prelu(x, x[0]).dtype is BF16
    assert F.mse_loss(h, h).dtype is F.l1_loss(h, h).dtype is h.prod().dtype is F32
    assert F.cross_entropy(h, torch.tensor([0, 1])).dtype is F.huber_loss(h, h).dtype is F32
    assert torch.cat([x, h]).dtype is F32
    assert torch.stack([h, h]).dtype is BF16
    assert (x + y).dtype is x.sum().dtype is F32
    assert (h + h).dtype is h.softmax(0).dtype is BF16


@pytest.mark.usefixtures("bfloat16")
def test_what_is_no_float32_or_lower_is_left_alone():
    for dtype in (F64, torch.complex64, torch.int64):
        x, y = matrices(dtype)
        assert (x @ y).dtype is dtype


@pytest.mark.usefixtures("bfloat16")
def test_what_is_written_keeps_its_dtype():
    x, y = matrices()
    assert torch.mm(x, y, out=torch.empty(2, 2)).dtype is F32
    assert x.clone().addmm_(x, y).dtype is F32
    assert torch.cat([x, y], out=torch.empty(4, 2)).dtype is F32


def test_every_listed_operator_that_exists_is_found_by_its_name():
    from minitorch.core.declare.expose import _composites
    from minitorch.core.declare.registry import ROWS

    names = {row.name for row in ROWS.values()} | {name for name, _ in _composites}
    for needed in ("linear", "matmul", "mm", "addmm", "bmm", "conv2d", "mse_loss", "nll_loss"):
        assert needed in names
        assert all(needed in policies for policies in casting.POLICIES.values())


def test_casts_are_recorded_and_gradients_come_back_in_the_dtype_of_the_leaf():
    x, w = matrices()
    w.requires_grad_()
    with torch.autocast("cpu"):
        y = x @ w
    assert y.grad_fn.next_functions[1][0].name() == "ToCopyBackward0"
    y.sum().backward()
    assert w.grad.dtype is F32
    assert w.grad.tolist() == [[2.0, 2.0], [2.0, 2.0]]


def casts_of(cache_enabled=None, again=lambda: None):
    """The nodes of the casts of one weight in two products."""
    x, w = matrices()
    w.requires_grad_()
    with torch.autocast("cpu", cache_enabled=cache_enabled):
        first = (x @ w).grad_fn
        again()
        second = (x @ w).grad_fn
    return first.next_functions[1][0], second.next_functions[1][0]


def test_a_weight_is_cast_once_in_a_region():
    one, two = casts_of()
    assert one is two
    one, two = casts_of(cache_enabled=False)
    assert one is not two
    one, two = casts_of(again=torch.clear_autocast_cache)
    assert one is not two
    assert casting.STATE.cached == {}


def test_a_weight_first_cast_under_no_grad_is_recorded_all_the_same():
    x, w = matrices()
    w.requires_grad_()
    with torch.autocast("cpu"):
        with torch.no_grad():
            assert not (x @ w).requires_grad
        assert (x @ w).grad_fn.next_functions[1][0].name() == "ToCopyBackward0"


def test_regions_nest_and_end_with_errors():
    x, y = matrices()

    def fail():
        with torch.autocast("cpu", dtype=torch.float16):
            with torch.autocast("cpu", enabled=False):
                assert (x @ y).dtype is F32
            assert (x @ y).dtype is torch.float16
            return 1 / 0

    with pytest.raises(ZeroDivisionError):
        fail()
    assert not torch.is_autocast_enabled("cpu")
    assert torch.get_autocast_dtype("cpu") is BF16
    assert (x @ y).dtype is F32


@pytest.mark.usefixtures("no_garbage")
def test_off_it_leaves_nothing_behind():
    watched = ASSEMBLED_GLOBALS["WATCHED"]
    with torch.autocast("cpu"), torch.autocast("cpu"):
        assert watched + 1 == ASSEMBLED_GLOBALS["WATCHED"]
        assert len(TENSOR_FORMULAS) == 1
    assert watched == ASSEMBLED_GLOBALS["WATCHED"]
    assert TENSOR_FORMULAS == []


def test_it_is_on_in_one_thread_only():
    x, y = matrices()
    seen = []
    with torch.autocast("cpu"):
        thread = threading.Thread(target=lambda: seen.append((x @ y).dtype))
        thread.start()
        thread.join()
    assert seen == [F32]


def test_a_backward_inside_a_region_is_cast_as_its_formulas_are():
    x = torch.tensor([[1.0, 2.0], [3.0, 4.001]])
    w = torch.ones(2, 2, requires_grad=True)
    y = x @ w
    with torch.autocast("cpu"):
        y.sum().backward()
    assert w.grad.dtype is F32
    assert torch.equal(w.grad, (x.t().to(BF16) @ torch.ones(2, 2).to(BF16)).float())


def test_cuda_lists_are_those_of_cuda(monkeypatch):
    # The lists are looked up by the type of the tensors' device; only the answer needs to be CUDA.
    monkeypatch.setitem(casting.POLICIES, "cpu", casting.POLICIES["cuda"])
    x = torch.rand(2, 2) + 0.5
    with torch.autocast("cpu", dtype=torch.float16):
        h = x.half()
        assert h.exp().dtype is h.log().dtype is h.pow(2).dtype is h.norm().dtype is F32
        assert h.sum().dtype is h.softmax(0).dtype is h.cumsum(0).dtype is F32
        assert h.sum(dtype=torch.float16).dtype is torch.float16
        assert F.layer_norm(h, (2,)).dtype is F32
        assert torch.mv(x, x[0]).dtype is torch.einsum("ij,jk", x, x).dtype is torch.float16
        assert torch.atan2(x, h).dtype is torch.dot(x[0], h[0]).dtype is F32
        assert torch.cat([h, h]).dtype is torch.float16
        with pytest.raises(RuntimeError, match="unsafe to autocast"):
            F.binary_cross_entropy(h, h)


def test_a_function_runs_as_custom_fwd_says():
    seen = []

    class Product(torch.autograd.Function):
        @staticmethod
        @torch.amp.custom_fwd(device_type="cpu", cast_inputs=F32)
        def forward(ctx, x):
            seen.append((x.dtype, torch.is_autocast_enabled("cpu")))
            return x @ x

        @staticmethod
        @torch.amp.custom_bwd(device_type="cpu")
        def backward(ctx, grad):
            seen.append((grad.dtype, torch.is_autocast_enabled("cpu")))
            return grad

    x = torch.ones(2, 2, dtype=BF16, requires_grad=True)
    with torch.autocast("cpu"):
        y = Product.apply(x)
    y.sum().backward()
    assert seen == [(F32, False), (F32, False)]


def test_tensors_on_cuda_follow_the_lists_of_cuda(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    with registered():
        x = torch.rand(3, 3).to("cuda")
        w = torch.rand(3, 3).to("cuda").requires_grad_()
        with torch.autocast("cuda"):
            y = x @ w
            assert (y.dtype, y.exp().dtype, y.sum().dtype) == (torch.float16, F32, F32)
            assert (torch.rand(3, 3) @ torch.rand(3, 3)).dtype is F32  # on the CPU
        with torch.autocast("cpu"):
            assert (x @ w).dtype is F32
        y.sum().backward()
        assert (w.grad.dtype, w.grad.device.type) == (F32, "cuda")
        with torch.autocast("cuda", dtype=BF16):
            assert (x @ w).dtype is BF16


@pytest.mark.usefixtures("bfloat16")
def test_a_backward_inside_a_region_may_come_upon_no_gradient():
    class Forgetful(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return None

    class Heard(Forgetful):
        @staticmethod
        def backward(ctx, grad):
            return grad * 2

    x = torch.ones(2, 2, requires_grad=True)
    Forgetful.apply(Heard.apply(x).mm(x).exp()).sum().backward()
    assert x.grad is None or x.grad.tolist() == [[0.0, 0.0], [0.0, 0.0]]
