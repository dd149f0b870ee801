"""torch.utils._python_dispatch: modes that see operators below autograd."""

import pytest

import minitorch as torch
from minitorch.core.base.modes import ASSEMBLED_GLOBALS, TENSOR_FORMULAS
from minitorch.core.declare.protocols.mode_stack import STACK
from minitorch.utils._python_dispatch import TorchDispatchMode, _disable_current_modes

aten = torch.ops.aten


class Log(TorchDispatchMode):
    def __init__(self):
        super().__init__()
        self.seen = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.seen.append(func)
        return func(*args, **(kwargs or {}))


class Arguments(TorchDispatchMode):
    """Keeps the name of each operator, and its arguments."""

    def __init__(self):
        super().__init__()
        self.calls = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.calls.append((str(func), args, kwargs))
        return func(*args, **(kwargs or {}))


def test_composite_functions_are_seen_as_their_parts():
    linear, x = torch.nn.Linear(3, 2), torch.ones(4, 3)
    with Log() as log:
        linear(x)
    assert log.seen == [aten.t.default, aten.addmm.default]


def test_max_pool1d_is_seen_as_a_pooling_of_two_dimensions():
    x = torch.ones(1, 2, 4)
    with Log() as log:
        torch.nn.functional.max_pool1d(x, 2)
    pooled = aten.max_pool2d_with_indices.default
    assert log.seen == [aten.unsqueeze.default, pooled, aten.squeeze.dim, aten.squeeze.dim]


def test_the_operators_of_a_backward_are_seen():
    x = torch.ones(2, 3, requires_grad=True)
    y = (x @ torch.ones(3, 2)).sum()
    with Log() as log:
        y.backward()
    of_nodes = [aten.expand.default, aten.t.default, aten.mm.default]
    assert log.seen == [aten.ones_like.default, *of_nodes, aten.detach.default]
    assert x.grad.tolist() == [[2.0] * 3] * 2


def test_additions_to_leaves_are_seen_and_no_two_leaves_share_a_gradient():
    x, y = (torch.ones(3, requires_grad=True) for _ in range(2))
    with Log() as log:
        ((x + y) * 2).sum().backward()
    copied = [aten.new_empty_strided.default, aten.copy_.default]
    assert log.seen[-3:] == [*copied, aten.detach.default]
    assert x.grad.data_ptr() != y.grad.data_ptr()
    with Log() as log:
        (x * 3).sum().backward()
    assert log.seen[-2:] == [aten.mul.Tensor, aten.add_.Tensor]
    assert x.grad.tolist() == [5.0] * 3


def test_hooks_call_as_programs_do():
    x = torch.ones(3, requires_grad=True)
    x.register_hook(lambda grad: grad * 3)
    with Log() as log:
        x.sum().backward()
    assert aten.mul.Tensor in log.seen
    assert aten.mul.Scalar not in log.seen


def test_arguments_are_those_of_the_schema_without_defaults():
    calls = []

    class Arguments(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            calls.append((str(func), args[1:], kwargs))
            return func(*args, **(kwargs or {}))

    x = torch.ones(2, 3)
    with Arguments():
        x + 1
        torch.add(x, x, alpha=2)
        x.sum((0, 1), keepdim=True)
        x.view(3, 2)
    assert calls[0] == ("aten.add.Tensor", (1,), {})
    assert calls[1][2] == {"alpha": 2}
    assert calls[2:] == [
        ("aten.sum.dim_IntList", ([0, 1], True), {}), ("aten.view.default", ([3, 2],), {})
    ]  # fmt: skip


def test_a_result_of_the_mode_gets_the_node_of_the_call():
    class Doubled(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            return func(*args, **(kwargs or {})) * 2

    x = torch.ones(2, requires_grad=True)
    with Doubled():
        y = torch.exp(x)
    assert y.grad_fn.name() == "ExpBackward0"
    assert not (y.detach() - 2 * torch.exp(torch.ones(2))).any()


def test_modes_leave_nothing_behind():
    with Log() as outer, Log() as inner, _disable_current_modes():
        torch.ones(2).exp()
    assert (outer.seen, inner.seen) == ([], [])
    assert STACK.get() == ()
    assert ASSEMBLED_GLOBALS["WATCHED"] == 0
    assert TENSOR_FORMULAS == []


class Shown(TorchDispatchMode):
    """Notes operators with their arguments, tensors aside."""

    def __init__(self):
        super().__init__()
        self.calls = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        plain = [each for each in args if not isinstance(each, torch.Tensor)]
        self.calls.append((str(func), plain, kwargs))
        return func(*args, **(kwargs or {}))


ON_CPU = {"device": torch.device("cpu"), "pin_memory": False}


def test_factories_are_seen_with_sizes_as_one_list_and_where_they_make_it():
    with Shown() as mode:
        x = torch.zeros(2, 3)
        torch.full((2,), 3, dtype=torch.int32)
        torch.eye(2, 3)
        torch.arange(1, 5, 2.0)
        torch.empty((1, 2, 3, 4), memory_format=torch.channels_last)
        torch.ones_like(x, dtype=torch.int64)
        x.new_full((2,), 7)
        leaf = torch.randn(2, requires_grad=True)
    assert leaf.is_leaf
    assert leaf.requires_grad
    assert mode.calls == [
        ("aten.zeros.default", [[2, 3]], ON_CPU),
        ("aten.full.default", [[2], 3], {"dtype": torch.int32, **ON_CPU}),
        ("aten.eye.m", [2, 3], ON_CPU),
        ("aten.arange.start_step", [1, 5, 2.0], ON_CPU),
        (
            "aten.empty.memory_format",
            [[1, 2, 3, 4]],
            {**ON_CPU, "memory_format": torch.channels_last},
        ),
        ("aten.ones_like.default", [], {"dtype": torch.int64, "pin_memory": False}),
        ("aten.new_full.default", [[2], 7], {"pin_memory": False}),
        ("aten.randn.default", [[2]], ON_CPU),
    ]


def test_draws_and_fills_are_seen_by_the_overload_that_fits():
    generator = torch.Generator()
    with Shown() as mode:
        x = torch.rand(2, generator=generator)
        torch.randint(2, 5, (2,))
        x.random_(3)
        x.random_(1, 3)
        x.bernoulli_(0.3)
        x.bernoulli_(x)
        x.uniform_()
        x.fill_(2)
        x.zero_()
    assert mode.calls == [
        ("aten.rand.generator", [[2]], {"generator": generator, **ON_CPU}),
        ("aten.randint.low", [2, 5, [2]], ON_CPU),
        ("aten.random_.to", [3], {}),
        ("aten.random_.from", [1, 3], {}),
        ("aten.bernoulli_.float", [0.3], {}),
        ("aten.bernoulli_.Tensor", [], {}),
        ("aten.uniform_.default", [], {}),
        ("aten.fill_.Scalar", [2], {}),
        ("aten.zero_.default", [], {}),
    ]


def test_reading_a_number_and_leaving_the_graph_are_seen():
    x = torch.ones(())
    with Log() as log:
        x.item()
        bool(x)
        x.detach()
        torch.tensor(2.0)
        x.all()
    reads = aten._local_scalar_dense.default
    assert log.seen == [
        *(reads, reads, aten.detach.default, aten.lift_fresh.default, aten.all.default)
    ]


def test_a_mode_may_make_another_tensor_than_the_factory():
    class Ones(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            return aten.ones.default(*args, **(kwargs or {}))

    with Ones():
        x = torch.zeros(2)
    assert x.tolist() == [1.0, 1.0]


def test_methods_are_themselves_again_after_the_mode():
    before = torch.Tensor.item.__code__
    with Log():
        torch.ones(()).item()
    assert torch.Tensor.item.__code__ is before


def test_composites_of_cpp_name_no_pinned_memory():
    with Arguments() as seen:
        torch.zeros_like(torch.ones(2))
        torch.diff(torch.ones(3), n=0)
    assert [kwargs for name, _, kwargs in seen.calls if "zeros_like" in name] == [
        {"pin_memory": False},
        {},
    ]


def test_a_conjugate_is_copied_for_an_operator_that_cannot_read_it():
    x = torch.tensor([1 + 2j])
    with Log() as log:
        product = x.conj() * 2j
        x.conj().view(1, 1)
    assert log.seen == [
        *(aten._conj.default, aten.clone.default, aten.mul.Tensor),
        *(aten._conj.default, aten.view.default),
    ]
    assert product.tolist() == [(1 - 2j) * 2j]


def test_a_product_of_matrices_reads_conjugates_and_no_negatives():
    x = torch.tensor([[1 + 2j]])
    with Log() as log:
        x.conj() @ x
        x.conj().imag @ x.imag
    seen = [op for op in log.seen if op in (aten.clone.default, aten.mm.default)]
    assert seen == [aten.mm.default, aten.clone.default, aten.mm.default]


def test_a_number_is_no_default_that_is_written_otherwise():
    with Arguments() as seen:
        torch.arange(0.0, 2.0, 1.0)
        torch.arange(0, 2, 1)
    assert [args for _, args, _ in seen.calls] == [(0.0, 2.0, 1.0), (0, 2)]


def names_of(call):
    """The names of the operators that a call makes, and what the first of them writes by name."""
    with Arguments() as mode:
        call()
    return [name for name, _, _ in mode.calls], sorted(mode.calls[-1][2])


def test_calls_with_out_are_seen_as_the_overload_that_writes():
    x, out = torch.ones(3, 3), torch.empty(3, 3)
    assert names_of(lambda: torch.mul(x, 2, out=out)) == (["aten.mul.out"], ["out"])
    assert out.tolist() == [[2.0] * 3] * 3
    assert names_of(lambda: torch.sum(x, 1, out=out[0])) == (
        ["aten.select.int", "aten.sum.IntList_out"],
        ["out"],
    )
    outs = torch.empty(3), torch.empty(3, dtype=torch.int64)
    assert names_of(lambda: torch.max(x, 1, out=outs)) == (
        ["aten.max.dim_max"],
        ["max", "max_values"],
    )
    assert names_of(lambda: torch.zeros(3, out=outs[0])) == (["aten.zeros.out"], ["out"])
    assert outs[0].tolist() == [0.0] * 3


def test_the_last_part_of_a_composite_function_writes_into_out():
    x, out = torch.ones(3, 3), torch.empty(3, 3)
    assert names_of(lambda: torch.matmul(x, x, out=out)) == (["aten.mm.out"], ["out"])
    assert out.tolist() == [[3.0] * 3] * 3
    seen, _ = names_of(lambda: torch.tensordot(x, x, 1, out=out))
    assert seen[-3:] == ["aten.mm.default", "aten.view.default", "aten.copy_.default"]
    seen, _ = names_of(lambda: torch.linalg.inv(torch.eye(3), out=out))
    assert seen[-2:] == ["aten.linalg_inv_ex.inverse", "aten._linalg_check_errors.default"]
    assert out.tolist() == torch.eye(3).tolist()
    x = torch.tensor([0.0, 1.0])
    number = torch.empty(())
    seen, _ = names_of(lambda: torch.quantile(x, 0.5, out=number))
    assert seen[-1] == "aten.copy_.default"
    assert number.item() == 0.5


def test_out_that_requires_grad_is_refused_before_a_mode_sees_the_call():
    x, out = torch.ones(3), torch.empty(3, requires_grad=True)
    with Log() as log, pytest.raises(RuntimeError, match=r"^exp\(\): functions with out="):
        torch.exp(x, out=out)
    assert log.seen == []


def test_a_mode_may_call_the_overload_that_writes_with_other_arguments():
    class Doubling(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            return func(*[each * 2 for each in args], **(kwargs or {}))

    x, out = torch.ones(2), torch.empty(2)
    with Doubling():
        result = torch.add(x, x, out=out)
    assert result is out
    assert out.tolist() == [4.0, 4.0]


def test_a_composite_function_returns_its_own_type_while_a_mode_sees_out():
    x, outs = torch.eye(2), (torch.empty(()), torch.empty(()))
    plain = torch.slogdet(x, out=outs)
    with Log() as log:
        seen = torch.slogdet(x, out=outs)
    assert log.seen[-1] is aten._linalg_slogdet.sign
    assert type(seen) is type(plain)
    assert seen[0] is outs[0]


def test_modes_change_no_random_numbers_that_go_into_out():
    p = torch.full((5,), 0.5)
    torch.manual_seed(0)
    plain = torch.bernoulli(p, out=torch.empty(5)), torch.rand(1)
    torch.manual_seed(0)
    with Log():
        seen = torch.bernoulli(p, out=torch.empty(5)), torch.rand(1)
    assert plain[0].tolist() == seen[0].tolist()
    assert plain[1].item() == seen[1].item()


def test_factories_refuse_what_is_no_bool_while_a_tensor_of_ones_own_kind_lives():
    rows = torch.nested.nested_tensor([torch.ones(2)], layout=torch.jagged)
    with pytest.raises(TypeError, match="argument 'requires_grad' must be bool, not complex"):
        torch.zeros(2, requires_grad=1j)
    assert torch.zeros(2, requires_grad=True).requires_grad
    assert rows.is_nested


class Looking(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        return func(*args, **(kwargs or {}))


def test_asarray_without_grad_has_none_where_a_mode_looks():
    x = torch.ones(2, requires_grad=True) + 2
    with Looking():
        assert not torch.asarray(x, requires_grad=False).requires_grad
        assert torch.asarray(x.detach(), requires_grad=True).requires_grad
        assert not torch.ones(2, requires_grad=False).requires_grad
