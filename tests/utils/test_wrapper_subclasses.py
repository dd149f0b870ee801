"""Wrapper subclasses: classes of tensors that compute by their __torch_dispatch__."""

import subprocess
import sys
import textwrap

import pytest

import minitorch as torch
from minitorch.utils._python_dispatch import return_and_correct_aliasing, transform_subclass
from minitorch.utils._pytree import tree_map_only


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


class Pair(torch.Tensor):
    """Two tensors that every operator computes with."""

    @staticmethod
    def __new__(cls, a, b):
        return torch.Tensor._make_wrapper_subclass(cls, a.shape, dtype=a.dtype)

    def __init__(self, a, b):
        self.a, self.b = a, b

    def __tensor_flatten__(self):
        return ["a", "b"], None

    @staticmethod
    def __tensor_unflatten__(inner, meta, size, stride):
        return Pair(inner["a"], inner["b"])

    @classmethod
    def __torch_dispatch__(cls, func, types, args, kwargs=None):
        made = []
        for name in ("a", "b"):
            one, named = tree_map_only(Pair, lambda x, name=name: getattr(x, name), (args, kwargs))
            made.append(func(*one, **(named or {})))
        return return_and_correct_aliasing(func, args, kwargs or {}, Pair(*made))


def pair():
    return Pair(torch.ones(2, 3), torch.zeros(2, 3))


def test_what_is_written_in_place_is_the_argument_itself():
    x = pair()
    assert x.add_(1) is x
    assert (x.a + x.b).tolist() == [[3.0] * 3] * 2


def test_what_is_no_write_is_what_was_computed():
    x = pair()
    assert type(x + 1) is Pair
    assert x.view(3, 2).b.shape == (3, 2)


def test_a_subclass_is_made_anew_of_what_it_holds():
    made = transform_subclass(pair(), lambda name, x: x + (name == "b"))
    assert made.b.tolist() == made.a.tolist() == [[1.0] * 3] * 2


def test_a_subclass_of_another_shape_is_refused():
    with pytest.raises(AssertionError) as caught:
        transform_subclass(pair(), lambda name, x: x.t())
    assert str(caught.value).endswith(
        "__tensor_unflatten__() to have shape equal to torch.Size([2, 3]), but got: "
        "torch.Size([3, 2])"
    )


def test_classes_of_the_library_ask_from_their_first_instance_on():
    program = """
        import warnings
        import minitorch as torch
        from minitorch.core.declare.protocols import torch_function

        warnings.simplefilter("ignore")
        x, mask = torch.ones(2, 2), torch.eye(2).bool()
        torch.masked.sum(x, 1, mask=mask)
        assert not torch_function._asked
        masked = torch.masked.masked_tensor(x, mask)
        assert torch_function._asked
        assert type(masked + masked).__name__ == "MaskedTensor"
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


class Seen(torch.Tensor):
    """Sees its operators, and computes them as Tensor does."""

    calls: list[str] = []  # one list for all

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        cls.calls.append(str(func))
        return super().__torch_dispatch__(func, types, args, kwargs or {})


def test_a_class_sees_the_operators_of_what_as_subclass_made():
    x = torch.ones(2).as_subclass(Seen).requires_grad_()
    Seen.calls.clear()
    y = x.exp()
    y.sum().backward()
    assert (Seen.calls, type(y), x.grad.tolist()) == (
        ["aten.exp.default"],
        torch.Tensor,
        y.tolist(),
    )


def test_writes_of_a_class_are_counted_once():
    x = torch.Tensor._make_subclass(Seen, torch.ones(2))
    x.add_(1)
    x.zero_()
    assert x._version == 2


def test_a_write_returns_what_was_written_whatever_its_class_returns():
    x = Doubled(torch.ones(2, requires_grad=True))
    y = x * 1
    assert y.exp_() is y
    assert y.grad_fn.name() == "ExpBackward0"
