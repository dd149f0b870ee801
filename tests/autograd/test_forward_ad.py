"""torch.autograd.forward_ad: dual tensors, the fate of their tangents, and refused calls."""

import gc

import pytest

import minitorch as torch
from minitorch.autograd import forward_ad as fwd
from minitorch.core.base.modes import ASSEMBLED_GLOBALS
from minitorch.core.graph import forward

ONES = torch.ones(2)


def tangent(x):
    return fwd.unpack_dual(x).tangent


@pytest.fixture
def level():
    with fwd.dual_level() as number:
        yield number


def test_a_dual_tensor_is_a_view_that_carries_its_tangent_as_it_is(level):
    x, t = torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0])
    dual = fwd.make_dual(x, t)
    assert level == 0
    assert dual._base is x
    assert tangent(dual) is t
    assert repr(dual) == "tensor([1., 2.], tangent=tensor([3., 4.]))"
    primal = fwd.unpack_dual(dual).primal
    assert tangent(primal) is None
    assert tangent(primal[0]) is None


def test_tangents_go_with_their_level():
    with fwd.dual_level():
        dual = fwd.make_dual(ONES, ONES) * 2
        assert tangent(dual).tolist() == [2, 2]
    assert tangent(dual) is None
    assert "tangent" not in repr(dual)
    with fwd.dual_level():
        assert tangent(dual) is None


@pytest.mark.usefixtures("no_garbage")
def test_nobody_watches_once_the_level_is_closed():
    before = ASSEMBLED_GLOBALS["WATCHED"]
    with fwd.dual_level():
        assert ASSEMBLED_GLOBALS["WATCHED"] == before + 1
    assert ASSEMBLED_GLOBALS["WATCHED"] == before
    assert not forward.LEVELS


def test_levels_do_not_keep_tensors_alive(level):
    for _ in range(3):
        fwd.make_dual(ONES, ONES).exp()
    gc.collect()
    assert len(forward.LEVELS[0]) == 0


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (fwd.enter_dual_level, "Nested forward mode AD is not supported at the moment"),
        (lambda: fwd.exit_dual_level(level=3), "was not the last one"),
        (lambda: fwd.make_dual(ONES, torch.ones(3)), "has a different size than that of the origi"),
        (lambda: fwd.make_dual(ONES, ONES, level=2), "Invalid level given to _make_dual"),
        (lambda: fwd.make_dual(fwd.make_dual(ONES, ONES), ONES), "already has a forward gradient"),
        (lambda: fwd.make_dual(ONES, fwd.make_dual(ONES, ONES)), "itself has a forward gradient"),
    ],
)
def test_misuse_is_refused(level, call, text):
    with pytest.raises(RuntimeError, match=text):
        call()


def test_integers_are_neither_primals_nor_tangents(level):
    whole = torch.tensor([1, 2])
    with pytest.raises(ValueError, match=r"Expected primal .* but got: torch\.int64"):
        fwd.make_dual(whole, ONES)
    with pytest.raises(ValueError, match=r"Expected tangent .* but got: torch\.int64"):
        fwd.make_dual(ONES, whole)


def test_outside_of_a_level_there_are_no_dual_tensors():
    with pytest.raises(RuntimeError, match="no level exists"):
        fwd.make_dual(ONES, ONES)
    assert fwd.unpack_dual(ONES) == (ONES, None)
    with pytest.raises(RuntimeError, match="must be a positive number"):
        fwd.exit_dual_level()


def test_a_tangent_lies_in_memory_as_its_primal_does(level):
    x = torch.randn(4, 6)[1:3, ::2]
    t = torch.randn(3, 2).t()
    found = tangent(fwd.make_dual(x, t))
    assert found is not t
    assert torch.equal(found, t)
    assert (found.stride(), found.storage_offset()) == (x.stride(), x.storage_offset())


def test_a_product_with_a_tensor_without_tangent_knows_no_infinity(level):
    dual = fwd.make_dual(ONES, ONES)
    infinite = torch.full((2,), torch.inf)
    assert tangent(dual * infinite).tolist() == [torch.inf] * 2
    assert tangent(torch.zeros(2) * dual + infinite * 2 * torch.ones(2) * 0 + dual).tolist() == [
        1,
        1,
    ]


def test_writes_write_the_tangent_that_is_there(level):
    dual = fwd.make_dual(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 10.0]))
    before = tangent(dual)
    dual.mul_(torch.tensor([2.0, 4.0]))
    assert tangent(dual) is before
    assert before.tolist() == [2, 40]
    dual.copy_(torch.zeros(2))
    assert before.tolist() == [0, 0]


@pytest.mark.parametrize(
    "name", ["atan2", "fmod", "remainder", "hypot", "copysign", "pow", "xlogy"]
)
def test_writes_push_the_same_tangents_as_the_operators(level, name):
    x, y = torch.tensor([1.5, -2.5]).abs(), torch.tensor([2.0, 0.7])
    first, second = (
        fwd.make_dual(x, torch.tensor([1.0, 3.0])),
        fwd.make_dual(y, torch.tensor([5.0, 7.0])),
    )
    expected = tangent(getattr(torch, name)(first, second))
    assert torch.equal(tangent(getattr(first.clone(), name + "_")(second)), expected)


def test_a_write_into_a_view_gives_the_base_a_tangent_and_its_other_views(level):
    whole = torch.zeros(2, 2)
    row, column, later = whole[0], whole[:, 0], whole[1]
    row.copy_(fwd.make_dual(ONES, torch.tensor([1.0, 2.0])))
    assert tangent(whole).tolist() == [[1, 2], [0, 0]]
    assert tangent(column).tolist() == [1, 0]
    whole.mul_(3)
    assert tangent(row).tolist() == [3, 6]
    assert tangent(later).tolist() == [0, 0]


def test_views_share_the_memory_of_tangents(level):
    dual = fwd.make_dual(torch.zeros(2, 3), torch.zeros(2, 3))
    view = dual.t()[1]
    view.add_(fwd.make_dual(ONES, ONES))
    assert tangent(dual).tolist() == [[0, 1, 0], [0, 1, 0]]


def test_out_is_refused(level):
    dual = fwd.make_dual(ONES, ONES)
    for call in (
        lambda: torch.add(dual, 1, out=torch.empty(2)),
        lambda: torch.sum(dual, 0, out=torch.empty(())),
    ):
        with pytest.raises(NotImplementedError, match=r"_out .* because it is an out= function"):
            call()


def test_operators_without_a_formula_are_refused(level):
    dual = fwd.make_dual(ONES * 2, ONES) * 1
    with pytest.raises(NotImplementedError, match="forward AD with acosh_ that does not support"):
        dual.acosh_()


def test_tangents_can_be_switched_off(level):
    dual = fwd.make_dual(ONES, ONES)
    with fwd._set_fwd_grad_enabled(False):
        assert not fwd._is_fwd_grad_enabled()
        assert tangent(dual) is None
        made = dual * 2
    assert fwd._is_fwd_grad_enabled()
    assert tangent(made) is None
    with torch.inference_mode():
        assert tangent(dual) is None
    with torch.no_grad():
        assert tangent(dual * 2).tolist() == [2, 2]


def test_forward_over_backward_is_the_product_with_the_hessian(level):
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    v = torch.tensor([1.0, 0.0, -1.0])
    for f in (
        lambda x: (x**3).sum() * x[0],
        lambda x: x.softmax(0)[1] * x.exp().sum(),
        lambda x: torch.nn.functional.layer_norm(x, (3,)).pow(3).sum(),
    ):
        (found,) = torch.autograd.grad(f(fwd.make_dual(x, v)), x)
        expected = torch.autograd.functional.hvp(f, x.detach(), v)[1]
        assert torch.allclose(tangent(found), expected, atol=1e-5)


def test_tangents_can_be_differentiated(level):
    x = torch.tensor([0.5, 1.0], requires_grad=True)
    t = torch.tensor([1.0, 2.0], requires_grad=True)
    y = tangent(fwd.make_dual(x, t).sin())
    by_x, by_t = torch.autograd.grad(y.sum(), (x, t))
    assert torch.allclose(by_x, -x.sin() * t)
    assert torch.allclose(by_t, x.cos())


def test_gradients_that_are_added_to_hear_of_tangents_and_first_ones_do_not(level):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    for _ in range(2):
        assert x.grad is None or tangent(x.grad) is None
        (fwd.make_dual(x, ONES) ** 3).sum().backward()
    assert x.grad.tolist() == [6, 24]
    assert tangent(x.grad).tolist() == [6, 12]


class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        ctx.save_for_forward(x)
        return x**3

    @staticmethod
    def backward(ctx, grad):
        return grad * 3 * ctx.saved_tensors[0] ** 2

    @staticmethod
    def jvp(ctx, t):
        assert not fwd._is_fwd_grad_enabled()
        return t * 3 * ctx.saved_tensors[0] ** 2


def test_functions_push_tangents_by_jvp_and_backwards_over_them(level):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = Cube.apply(fwd.make_dual(x, ONES))
    assert tangent(y).tolist() == [3, 12]
    (found,) = torch.autograd.grad(y.sum(), x)
    assert tangent(found).tolist() == [6, 12]


@pytest.mark.parametrize(
    ("returned", "text"),
    [
        ((ONES, ONES), "invalid number of forward gradients \\(expected 1 but got 2\\)"),
        (3, "expected Variable or None \\(got int\\) for grad output 0"),
        (torch.ones(3), "has a different size"),
        (None, "Expected both tensor and its forward grad"),
    ],
)
def test_what_jvp_must_not_return(level, returned, text):
    class Wrong(Cube):
        @staticmethod
        def jvp(ctx, t):
            return returned

    with pytest.raises(RuntimeError, match=text):
        Wrong.apply(fwd.make_dual(ONES, ONES))


def test_levels_below_the_public_ones_nest():
    first, second = forward.enter(), forward.enter()
    try:
        x = torch.tensor(2.0)
        once = torch.tensor(2.0)
        forward.dualize(once, torch.tensor(1.0), first)
        twice = once * 1
        inner = torch.tensor(1.0)
        forward.dualize(twice, inner, second)
        cube = twice**3
        outer = forward.tangent_of(cube, second)
        assert outer.item() == 12
        assert forward.tangent_of(outer, first).item() == 12  # d(3 x^2) = 6 x
        assert forward.tangent_of(cube, first).item() == 12
        assert forward.tangent_of(x * 2, second) is None
    finally:
        forward.leave()
        forward.leave()


def test_what_an_inference_tensor_is_cast_to_keeps_the_tangent():
    with torch.inference_mode():
        x = torch.ones(2)
    with fwd.dual_level():
        cast = fwd.make_dual(x, torch.full((2,), 3.0)).double()
        assert fwd.unpack_dual(cast).tangent.dtype is torch.float32


def test_modes_and_classes_see_the_functions_that_make_and_unpack_duals(level):
    seen = []

    class Seeing(torch.overrides.TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            seen.append((func.__name__, kwargs))
            return func(*args, **(kwargs or {}))

    with Seeing():
        fwd.unpack_dual(fwd.make_dual(ONES, ONES))
    assert ("_make_dual", {"level": 0}) in seen
    assert ("_unpack_dual", {"level": 0}) in seen

    class Named(torch.Tensor):
        pass

    dual = fwd.make_dual(ONES.as_subclass(Named), ONES)
    assert type(dual) is type(fwd.unpack_dual(dual * 2).tangent) is Named


def test_make_dual_of_torch_refuses_levels_that_are_not_open():
    with pytest.raises(RuntimeError, match="with an invalid index"):
        torch._make_dual(ONES, ONES, 0)
    with pytest.raises(RuntimeError, match="Invalid level given to _make_dual"):
        torch._make_dual(ONES, ONES, 1)
    with pytest.raises(TypeError, match='missing 1 required positional arguments: "level"'):
        torch._make_dual(ONES, ONES)
    assert torch._unpack_dual(ONES, 0).tangent is None
