"""Operands and results that nodes save, and the errors once they were written into."""

import gc
import re
import weakref

import pytest

import minitorch as torch


def leaf(*values):
    return torch.tensor(values, requires_grad=True)


def modified(version, expected, shape="[1]", origin=""):
    """The error for a saved tensor that was written, as a pattern."""
    return re.escape(
        "one of the variables needed for gradient computation has been modified by an inplace "
        f"operation: [torch.FloatTensor {shape}]{origin} is at version {version}; expected "
        f"version {expected} instead."
    )


def test_operands_are_saved_where_the_other_wants_a_gradient():
    x, w = leaf(2.0), torch.tensor([3.0])
    node = (x * w).grad_fn
    assert node._saved_other is w
    assert node._saved_self is None


def test_a_saved_operand_is_the_tensor_itself_a_saved_result_an_equal_one():
    x = leaf(2.0)
    y = x.exp()
    assert (x * x).grad_fn._saved_self is x
    saved = y.grad_fn._saved_result
    assert saved.data_ptr() == y.data_ptr()
    assert saved.grad_fn is y.grad_fn


def test_sizes_and_numbers_are_shown_as_python_values():
    x = torch.ones(2, 3, requires_grad=True)
    assert x.sum().grad_fn._saved_self_sym_sizes == (2, 3)
    assert x.sum(1).grad_fn._saved_dim == (1,)
    assert x.sum(1).grad_fn._saved_keepdim is False
    assert x.pow(2).grad_fn._saved_exponent == 2


def test_negative_dims_are_shown_as_64_unsigned_bits():
    assert torch.ones(2, 3, requires_grad=True).sum(-1).grad_fn._saved_dim == (2**64 - 1,)


@pytest.mark.parametrize("which", [0, 1])
def test_writing_a_saved_operand_is_noticed(which):
    operands = [leaf(2.0) * 1, leaf(3.0) * 1]
    y = operands[0] * operands[1]
    with torch.no_grad():
        operands[which].add_(1)
    with pytest.raises(RuntimeError, match=modified(1, 0, origin=", which is output 0 of Mul,")):
        y.backward()


def test_writing_a_leaf_that_was_saved_is_noticed():
    x, w = leaf(2.0), leaf(3.0)
    y = x * w
    with torch.no_grad():
        w.add_(1)
    with pytest.raises(RuntimeError, match=modified(1, 0)):
        y.backward()


def test_writing_a_saved_result_is_noticed():
    y = leaf(2.0).exp()
    z = y * 1
    y.add_(1)
    with pytest.raises(RuntimeError, match=modified(1, 0, origin=", which is output 0 of Exp,")):
        z.backward()


def test_writing_through_a_view_is_noticed():
    x, w = torch.ones(2, requires_grad=True), torch.ones(2)
    y = (x * w).sum()
    w[0] = 5
    with pytest.raises(RuntimeError, match=modified(1, 0, "[2]")):
        y.backward()


def test_what_was_not_saved_may_be_written():
    x = leaf(2.0)
    y = x * 3
    z = y + 1
    with torch.no_grad():
        y.add_(1)
    z.backward()
    assert x.grad.tolist() == [3.0]


def test_the_version_counts_from_the_moment_of_saving():
    x, w = leaf(2.0), torch.tensor([3.0])
    w.add_(1).add_(1)
    y = x * w
    y.backward(retain_graph=True)
    assert x.grad.tolist() == [5.0]
    w.add_(1)
    with pytest.raises(RuntimeError, match=modified(3, 2)):
        y.backward()


def test_a_write_during_no_grad_counts_too():
    x, w = leaf(2.0), torch.tensor([3.0])
    y = x * w
    with torch.no_grad():
        w.zero_()
    with pytest.raises(RuntimeError, match=modified(1, 0)):
        y.backward()


def test_saved_tensors_are_freed_by_the_first_backward():
    x = leaf(2.0)
    held = torch.tensor([3.0])
    reference = weakref.ref(held)
    y = x * held
    del held
    gc.collect()
    assert reference() is not None
    y.backward()
    assert reference() is None
    for access in (y.backward, lambda: y.grad_fn._saved_other):
        with pytest.raises(RuntimeError, match="Trying to backward through the graph a second"):
            access()


def test_retain_graph_keeps_what_was_saved():
    x = leaf(2.0)
    y = x * x
    y.backward(retain_graph=True)
    assert y.grad_fn._saved_self is x
    y.backward()
    assert x.grad.tolist() == [8.0]


def test_a_saved_result_makes_no_cycle_with_its_node():
    gc.collect()
    gc.disable()
    try:
        y = leaf(2.0).exp()
        node = weakref.ref(y.grad_fn)
        del y
        assert node() is None
    finally:
        gc.enable()


def test_an_operand_written_by_its_own_operator_is_saved_as_it_was():
    x = leaf(2.0)
    y = x * 1
    y.pow_(2)
    y.backward()
    assert x.grad.tolist() == [4.0]


def test_lists_of_tensors_are_saved_as_tuples():
    x = torch.arange(4.0, requires_grad=True)
    index = torch.tensor([0, 2])
    (saved,) = x[index].grad_fn._saved_indices
    assert saved.tolist() == [0, 2]


@pytest.mark.parametrize(("number", "dtype"), [(2, torch.int64), (2.5, torch.float64)])
def test_a_number_in_a_tensors_place_is_saved_as_a_tensor(number, dtype):
    saved = (torch.ones(2, requires_grad=True) * number).grad_fn._saved_other
    assert (saved.item(), saved.dtype, saved.shape) == (number, dtype, ())


def test_hooks_take_a_saved_tensor_as_it_is_though_it_was_written():
    x = torch.ones(2, requires_grad=True) * 1
    y = x.sin()
    x.add_(1)
    y.grad_fn._raw_saved_self.register_hooks(lambda each: each * 2, lambda each: each)
    assert y.grad_fn._saved_self.tolist() == [4.0, 4.0]


def test_what_must_not_be_saved_is_refused_before_anything_else_is():
    x = torch.ones(3, requires_grad=True)
    with torch.inference_mode():
        y = torch.ones(2)
    with pytest.raises(RuntimeError, match="Inference tensors cannot be saved"):
        x * y
    with pytest.raises(RuntimeError, match="The size of tensor a"):
        x + y


def test_inputs_are_packed_although_the_call_fails():
    log = []
    x = torch.ones(3, requires_grad=True)
    hooks = torch.autograd.graph.saved_tensors_hooks(log.append, lambda each: each)
    with hooks, pytest.raises(RuntimeError, match="The size of tensor a"):
        x * torch.ones(2, requires_grad=True)
    assert [each.shape for each in log] == [(2,), (3,)]


NUMBERS_KEPT = {
    "mul": lambda x: x * 2.5,
    "div": lambda x: x / 3,
    "rdiv": lambda x: 3 / x,
    "div_trunc": lambda x: torch.div(x, 2, rounding_mode=None),
    "rmul": lambda x: True * x,
}


@pytest.mark.parametrize("call", NUMBERS_KEPT.values(), ids=NUMBERS_KEPT)
def test_a_number_that_a_node_keeps_is_one_tensor_until_the_node_ran(call):
    x = torch.tensor([1.5, 2.5], requires_grad=True)
    y = call(x)
    names = [name for name in ("other", "self") if hasattr(y.grad_fn, f"_saved_{name}")]
    seen = {name: getattr(y.grad_fn, f"_saved_{name}") for name in names}
    number = next(each for each in seen.values() if each is not None and not each.shape)
    name = next(name for name in names if seen[name] is number)
    assert getattr(y.grad_fn, f"_saved_{name}") is number
    raw = getattr(y.grad_fn, f"_raw_saved_{name}")
    assert raw.data is number
    assert raw.unpack() is number
    assert raw.unpack_hook is None
    died = weakref.ref(number)
    del number, seen, raw
    expected = call(x)
    y.sum().backward()
    assert died() is None
    gradient, x.grad = x.grad, None
    expected.sum().backward()
    assert x.grad.tolist() == gradient.tolist()


def test_a_number_that_was_seen_is_read_where_it_lies():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y, z = x / 3, x / 3
    y.grad_fn._saved_other.data.fill_(4)
    y.sum().backward(retain_graph=True)
    assert x.grad.tolist() == [0.25, 0.25]
    (gradient,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    assert gradient.tolist() == [0.25, 0.25]
    z.grad_fn._saved_other.add_(1)
    with pytest.raises(RuntimeError, match=r"LongTensor \[\]\] is at version 1"):
        z.sum().backward()
    with pytest.raises(RuntimeError, match="expected version 0"):
        _ = z.grad_fn._saved_other


def test_a_number_that_was_seen_can_be_packed():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x * 3
    y.grad_fn._raw_saved_other.register_hooks(lambda t: t * 2, lambda t: t + 1)
    assert y.grad_fn._raw_saved_other.data.tolist() == 6
    y.sum().backward()
    assert x.grad.tolist() == [7.0, 7.0]
    assert x.grad.dtype is torch.float32
    with torch.autograd.graph.saved_tensors_hooks(len, len):
        z = x * 3  # torch packs no numbers
    assert z.grad_fn._raw_saved_other.unpack_hook is None
