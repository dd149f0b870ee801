"""Wrapper subclasses: classes of tensors that compute by their __torch_dispatch__."""

import pytest

import minitorch as torch


class Doubled(torch.Tensor):
    """Holds a tensor, and what operators of it were called."""

    @staticmethod
    def __new__(cls, inner, seen=None):
        made = torch.Tensor._make_wrapper_subclass(
            cls, inner.shape, dtype=inner.dtype, requires_grad=inner.requires_grad
        )
        made.inner, made.seen = inner.detach(), [] if seen is None else seen
        return made

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        if func is torch.ops.aten.relu.default:
            return NotImplemented
        seen = next(each.seen for each in args if isinstance(each, cls))
        seen.append(str(func))
        result = func(*[each.inner if isinstance(each, cls) else each for each in args])
        return cls(result, seen)

    __torch_function__ = torch._C._disabled_torch_function_impl


def test_make_wrapper_subclass_gives_a_geometry_without_numbers():
    x = Doubled(torch.arange(6.0).reshape(2, 3))
    assert (x.shape, x.stride(), x.dtype, x.device.type) == ((2, 3), (3, 1), torch.float32, "cpu")
    assert x.storage_offset() == 0
    with pytest.raises(RuntimeError, match="not supported for tensor subclasses"):
        x.numpy()


def test_operators_of_wrapper_subclasses_go_to_torch_dispatch():
    x = Doubled(torch.tensor([1.0, 2.0]))
    y = (x * 3 + 1).exp()[0]
    assert type(y) is Doubled
    assert x.seen == ["aten.mul.Tensor", "aten.add.Tensor", "aten.exp.default", "aten.select.int"]
    torch.testing.assert_close(y.inner, torch.tensor(4.0).exp())


def test_operators_that_all_classes_decline_are_refused():
    with pytest.raises(TypeError, match=r"Multiple dispatch failed for 'torch._ops.aten.relu"):
        torch.relu(Doubled(torch.ones(2)))


def test_gradients_of_wrapper_subclasses_are_instances():
    x = Doubled(torch.tensor([1.0, 2.0], requires_grad=True))
    y = (x * x).sum()
    assert type(y.grad_fn).__name__ == "SumBackward0"
    y.backward()
    assert type(x.grad) is Doubled
    assert x.grad.inner.tolist() == [2, 4]


def test_make_wrapper_subclass_refuses_classes_that_compute_nothing():
    class Idle(torch.Tensor):
        pass

    with pytest.raises(TypeError, match="Idle must define __torch_dispatch__"):
        torch.Tensor._make_wrapper_subclass(Idle, (2,))
    with pytest.raises(TypeError, match="must be type, not int"):
        torch.Tensor._make_wrapper_subclass(3, (2,))
