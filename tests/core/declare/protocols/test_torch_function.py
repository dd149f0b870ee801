"""Calls that a program's own classes take over, and calls that they never see."""

import subprocess
import sys
import textwrap

import pytest

import minitorch as torch
from minitorch.core.base.modes import watch
from minitorch.nn import functional as F


@pytest.fixture
def x():
    # Here, not in the module: from its first class on all functions of a process ask.
    class Logged(torch.Tensor):
        seen: list = []

        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            cls.seen.append((func, args, kwargs))
            return super().__torch_function__(func, types, args, kwargs or {})

    return torch.ones(2, 2).as_subclass(Logged)


def only(seen):
    [(func, args, kwargs)] = seen
    return func, args[1:], kwargs


@pytest.mark.parametrize(
    ("call", "shown"),
    [
        (lambda x: x + 1, (torch.Tensor.add, (1,), None)),
        (lambda x: 1 - x, (torch.Tensor.__rsub__, (1,), {})),
        (lambda x: x.mean(0), (torch.Tensor.mean, (0,), None)),
        (lambda x: torch.mean(x, dim=0), (torch.mean, (), {"dim": 0})),
        (lambda x: x.size(), (torch.Tensor.size, (), None)),
        (lambda x: x.view(4), (torch.Tensor.view, (4,), None)),
        (lambda x: F.relu(x), (F.relu, (), {"inplace": False})),
        (lambda x: F.gelu(x), (F.gelu, (), None)),
        (lambda x: torch.norm(x, 2), (torch.norm, (),
            {"p": 2, "dim": None, "keepdim": False, "out": None, "dtype": None})),
        (lambda x: torch.linalg.det(x), (torch.linalg.det, (), None)),
        (lambda x: x.shape, (torch.Tensor.shape.__get__, (), None)),
        (lambda x: len(x), (torch.Tensor.__len__, (), {})),
    ],
)  # fmt: skip
def test_calls_are_shown_as_they_were_made(x, call, shown):
    call(x)
    assert only(type(x).seen) == shown


def test_methods_and_functions_are_told_apart():
    both = [
        name for name in ("mean", "det", "add", "clamp", "einsum") if hasattr(torch.Tensor, name)
    ]
    assert [name for name in both if getattr(torch, name) is getattr(torch.Tensor, name)] == []


def test_what_is_below_a_call_asks_nobody(x):
    F.cross_entropy(x, torch.tensor([0, 1]))
    assert [func.__name__ for func, _, _ in type(x).seen] == ["cross_entropy"]


def test_plain_tensors_are_computed_with_as_ever():
    x = torch.ones(2, requires_grad=True)
    (x * 2).sum().backward()
    assert type(x.grad) is torch.Tensor
    assert x.grad.tolist() == [2, 2]


def test_operators_decline_what_is_no_operand(x):
    with pytest.raises(TypeError, match=r"unsupported operand type.*'Logged' and 'str'"):
        x + "a"
    with pytest.raises(TypeError, match=r"unsupported operand type.*'Logged' and 'int'"):
        x @ 2
    assert type(x).seen == []
    assert (x == "a") is False


def test_who_declines_makes_a_type_error():
    class Declining(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            return NotImplemented

    x = torch.ones(2).as_subclass(Declining)
    with pytest.raises(TypeError, match=r"Multiple dispatch failed for 'torch\.exp'"):
        torch.exp(x)
    with pytest.raises(TypeError, match="no implementation found"):
        F.relu(x)


def test_subclasses_of_parameter_take_nothing_over():
    class Own(torch.nn.Parameter):
        pass

    x = Own(torch.ones(2))
    assert (type(x), type(x + 1), type(x.sum())) == (Own, torch.Tensor, torch.Tensor)


def test_a_parameter_of_a_subclass_stays_of_it(x):
    layer = torch.nn.Linear(2, 2)
    layer.weight = torch.nn.Parameter(x)
    assert type(layer.weight) is type(x)
    assert isinstance(layer.weight, torch.nn.Parameter)
    assert [name for name, _ in layer.named_parameters()] == ["weight", "bias"]


def test_a_subclass_whose_new_tensors_are_plain_cannot_be_copied_deeply():
    import copy

    class Mine(torch.Tensor):
        pass

    with pytest.raises(RuntimeError, match="properly implement new_empty"):
        copy.deepcopy(torch.ones(2).as_subclass(Mine))


def test_scripts_may_take_calls_over_without_tensors(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        textwrap.dedent("""
            import torch

            class Diagonal:
                @classmethod
                def __torch_function__(cls, func, types, args=(), kwargs=None):
                    return func is torch.mean, len(args), kwargs

            print(torch.mean(Diagonal()), torch.add(1, Diagonal()), torch.ones(2) + Diagonal())
        """)
    )
    done = subprocess.run(
        [sys.executable, "-m", "minitorch", str(script)], capture_output=True, text=True
    )
    assert done.stdout == "(True, 1, None) (False, 2, None) (False, 2, None)\n", done.stderr


def test_poolings_asked_for_positions_are_shown_under_another_name():
    seen = []

    class Seen(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            if kwargs:
                seen.append((func.__name__, kwargs))
            return super().__torch_function__(func, types, args, kwargs)

    x = torch.ones(1, 1, 4, 4).as_subclass(Seen)
    F.adaptive_max_pool2d(x, 2)
    _, places = F.adaptive_max_pool2d(x, 2, return_indices=True)
    F.l1_loss(x, x)
    F.threshold(x, 1, 2)
    assert places.shape == (1, 1, 2, 2)
    assert seen == [
        ("adaptive_max_pool2d", {"return_indices": False}),
        ("adaptive_max_pool2d_with_indices", {"return_indices": True}),
        ("l1_loss", {"size_average": None, "reduce": None, "reduction": "mean"}),
        ("_threshold", {"inplace": False}),
    ]


def test_takers_of_einsum_see_its_operands_one_by_one():
    class Seeing(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            return [type(each) for each in args], args[0]

    x = torch.ones(2).as_subclass(Seeing)
    seen = [str, Seeing, Seeing], "a,a->a"
    assert torch.einsum("a,a->a", x, x) == seen
    assert torch.einsum("a,a->a", (x, x)) == seen
    assert torch.einsum("a,a->a", [x, x]) == seen
    assert torch.einsum(x, [0], x, [0], [0]) == (seen[0], "A,A->A")


def test_taker_whose_method_is_of_the_instance_is_asked_with_a_warning():
    class Counting:
        def __init__(self):
            self.calls = 0

        def __torch_function__(self, func, types, args=(), kwargs=None):
            self.calls += 1
            return self.calls

    taker = Counting()
    with pytest.warns(UserWarning, match="as a plain method"):
        assert torch.exp(taker) == 1
    with pytest.warns(DeprecationWarning, match="as a plain method"):
        assert torch.nn.functional.relu(taker) == 2


def test_functions_of_python_ask_no_numbers_and_look_into_no_lists():
    class Taker:
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            return func.__name__

    taker, x = Taker(), torch.ones(2)
    assert torch.nn.functional.mse_loss(x, taker) == "mse_loss"
    with pytest.raises((TypeError, AttributeError)):
        torch.block_diag([taker])
    assert torch.atleast_1d([taker]) == "atleast_1d"
    assert torch.split(x, taker) == "split_with_sizes"


def test_functions_that_are_imported_after_a_subclass_leave_out_what_torch_does():
    code = """
import minitorch as torch
from minitorch.core.base.modes import watch

class Seen(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        seen.append((func.__name__, kwargs))
        return super().__torch_function__(func, types, args, kwargs)

seen = []
x = torch.ones(2).as_subclass(Seen)
import minitorch.nn.functional as F
F.l1_loss(x, x)
print(seen[-1])
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "weight" not in run.stdout
    assert "l1_loss" in run.stdout


def test_classes_that_see_operators_see_no_calls_unless_they_say_so():
    class Wrapper(torch.Tensor):
        @staticmethod
        def __new__(cls, inner):
            made = torch.Tensor._make_wrapper_subclass(cls, inner.size(), dtype=inner.dtype)
            made.inner = inner
            return made

        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            return func(*[each.inner if isinstance(each, cls) else each for each in args])

    class Both(Wrapper):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            return super().__torch_function__(func, types, args, kwargs or {})

    assert type(Wrapper(torch.ones(2)) + 1) is torch.Tensor
    assert Wrapper.__torch_function__ is torch._C._disabled_torch_function_impl
    assert type(Both(torch.ones(2)) + 1) is torch.Tensor
    assert (
        type(torch.ones(2).as_subclass(type("Plain", (torch.Tensor,), {})) + 1) is not torch.Tensor
    )


def test_the_base_of_a_view_of_a_subclass_is_the_tensor_itself():
    class Told(torch.Tensor):
        pass

    x = torch.ones(2)
    assert x.as_subclass(Told)._base is x
    assert x.as_subclass(Told).view(2)._base is x


def test_split_asks_its_tensor_alone_also_after_a_class_that_sees_operators():
    class Dispatching(torch.Tensor):
        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            return func(*args, **(kwargs or {}))

    class Taker:
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            return func.__name__

    watch(+1)
    try:
        assert torch.split(torch.ones(2), Taker()) == "split_with_sizes"
        assert torch.split(Taker(), 1) == "split"
    finally:
        watch(-1)
