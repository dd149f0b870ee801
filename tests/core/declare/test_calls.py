"""Calls: overloads, composites, several outputs, and the errors of arguments that do not fit."""

import copy
import pickle
import re

import pytest

import minitorch as torch
from minitorch.core.base.modes import watch


def x():
    return torch.tensor([[1.0, 5.0, 3.0], [4.0, 2.0, 6.0]])


def test_an_overload_is_chosen_by_the_arguments():
    assert torch.max(x()).item() == 6.0
    assert torch.max(x(), 1).indices.tolist() == [1, 2]
    assert torch.max(x(), torch.tensor(4.5)).tolist() == [[4.5, 5.0, 4.5], [4.5, 4.5, 6.0]]
    assert torch.pow(x(), 2)[0, 1] == torch.pow(5.0, torch.tensor(2.0)) == 25.0
    assert torch.where(x() > 4, x(), 0.0).sum() == 11.0


def test_overloads_have_nodes_of_their_own():
    t = x().requires_grad_()
    assert t.sum().grad_fn.name() == "SumBackward0"
    assert t.sum(1).grad_fn.name() == "SumBackward1"
    assert torch.pow(t, 2).grad_fn.name() == "PowBackward0"
    assert torch.pow(t, t).grad_fn.name() == "PowBackward1"


def test_methods_and_functions_are_the_same_operator():
    assert torch.equal(x().mul(2), torch.mul(x(), 2))
    assert torch.equal(x().sum(dim=1), torch.sum(x(), dim=1))


def test_lists_of_sizes_may_be_written_out():
    t = torch.arange(6)
    assert t.view(2, 3).shape == t.view((2, 3)).shape == t.view([2, 3]).shape == (2, 3)
    assert t.view(torch.Size([2, 3])).shape == t.reshape(2, -1).shape == (2, 3)
    assert t.view(size=(3, 2)).shape == (3, 2)
    assert t.view(2, 3).permute(1, 0).shape == t.view(2, 3).permute((1, 0)).shape


def test_numpys_spellings_of_dim_and_keepdim_are_understood():
    assert torch.sum(x(), axis=1, keepdims=True).shape == (2, 1)
    assert x().amax(axis=0).tolist() == [4.0, 5.0, 6.0]


@pytest.mark.parametrize("watching", [0, 1])
def test_python_operators_leave_foreign_operands_to_python(watching, request):
    watch(+watching)
    request.addfinalizer(lambda: watch(-watching))

    class Other:
        def __radd__(self, other):
            return "radd"

        def __rmatmul__(self, other):
            return "rmatmul"

    assert x() + Other() == "radd"
    assert x() @ Other() == "rmatmul"
    assert (x() == None) is False  # noqa: E711
    with pytest.warns(DeprecationWarning, match="__array_wrap__"):  # NumPy multiplies
        assert torch.equal(x() * x().numpy(), x().square())
    for wrong in ("a", None, [1.0]):
        with pytest.raises(TypeError, match=re.escape("unsupported operand type(s) for +")):
            x() + wrong


def test_composites_have_the_nodes_of_their_parts():
    t = x().requires_grad_()
    assert torch.square(t).grad_fn.name() == "PowBackward0"
    assert t.flatten().grad_fn.name() in ("ViewBackward0", "ReshapeAliasBackward0")


def test_several_outputs_have_names():
    result = torch.max(x(), 1)
    assert type(result).__module__ + "." + type(result).__name__ == "torch.return_types.max"
    values, indices = result
    assert values is result.values is result[0]
    assert indices is result.indices is result[1]
    assert len(result) == 2
    assert isinstance(result, tuple)
    assert repr(result) == (
        "torch.return_types.max(\nvalues=tensor([5., 6.]),\nindices=tensor([1, 2]))"
    )


def test_named_outputs_are_pickled_and_copied():
    result = torch.sort(x(), 1)
    for again in (pickle.loads(pickle.dumps(result)), copy.copy(result), copy.deepcopy(result)):
        assert type(again) is type(result)
        assert torch.equal(again.values, result.values)


def test_indices_do_not_require_grad_and_values_know_their_number():
    result = x().requires_grad_().sort(1)
    assert result.values.requires_grad
    assert result.values.output_nr == 0
    assert not result.indices.requires_grad


def test_a_node_of_several_outputs_gets_no_gradient_for_the_unused():
    t = x().requires_grad_()
    first, _ = t.unbind(0)
    first.sum().backward()
    assert t.grad.tolist() == [[1.0, 1.0, 1.0], [0.0, 0.0, 0.0]]


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (
            lambda t: torch.mul(t, "a"),
            "mul(): argument 'other' (position 2) must be Tensor, not str",
        ),
        (lambda t: torch.exp(1), "exp(): argument 'input' (position 1) must be Tensor, not int"),
        (
            lambda t: torch.exp(None),
            "exp(): argument 'input' (position 1) must be Tensor, not NoneType",
        ),
        (
            lambda t: torch.relu(1.5),
            "relu(): argument 'input' (position 1) must be Tensor, not float",
        ),
        (lambda t: torch.mm(t, 1), "mm(): argument 'mat2' (position 2) must be Tensor, not int"),
        (lambda t: torch.cat([t, 1]), "expected Tensor as element 1 in argument 0, but got int"),
        (lambda t: torch.exp(t, t), "exp() takes 1 positional argument but 2 were given"),
        (lambda t: torch.exp(t, foo=1), "exp() got an unexpected keyword argument 'foo'"),
        (lambda t: torch.mul(t), "mul() missing 1 required positional argument"),
    ],
)
def test_arguments_that_do_not_fit_are_refused_in_the_words_of_torch(call, text):
    with pytest.raises(TypeError, match=re.escape(text)):
        call(torch.ones(2, 2))


@pytest.mark.parametrize(
    ("call", "lines"),
    [
        (
            lambda t: torch.bitwise_and(2, 3),
            ["(int, int)", "arguments have invalid types: (!int!, !int!)"],
        ),
        (
            lambda t: torch.hsplit(t, foo=1),
            ["(Tensor, foo=int)", "keywords were incorrect: foo"],
        ),
        (
            lambda t: torch.hsplit(t, [1.5]),
            ["(Tensor, list)", "arguments have invalid types: (Tensor, !list of [float]!)"],
        ),
        (
            lambda t: torch.remainder((1, 2), 3),
            ["(tuple, int)", "arguments have invalid types: (!tuple of (int, int)!, !int!)"],
        ),
    ],
)
def test_the_argument_that_fits_no_overload_stands_between_exclamation_marks(call, lines):
    with pytest.raises(TypeError) as caught:
        call(torch.ones(2, 2))
    given, reason = lines
    assert f"received an invalid combination of arguments - got {given}, but" in str(caught.value)
    assert f"\n      didn't match because some of the {reason}\n" in str(caught.value)


def test_an_overload_with_another_number_of_parameters_is_only_listed():
    with pytest.raises(TypeError) as caught:
        torch.copysign(2, torch.ones(2))
    assert str(caught.value) == (
        "copysign() received an invalid combination of arguments - got (int, Tensor), but expected "
        "one of:\n * (Tensor input, Tensor other, *, Tensor out = None)\n"
        " * (Tensor input, Number other, *, Tensor out = None)\n"
    )


def test_strides_of_single_and_empty_dimensions_are_handed_on():
    x = torch.ones(2, 1).T  # (1, 2), its strides (1, 1)
    assert ((x * torch.ones(1, 1)).stride(), (x * 2).stride(), x.exp().stride()) == (
        (1, 1),
        (1, 1),
        (2, 1),
    )
    assert ((x * 2) * 2).stride() == x.detach().mul(2).stride() == (1, 1)
    empty = torch.ones(6, 3, 2).permute(2, 0, 1)[:, :0]
    assert ((empty + 2).stride(), empty.exp().stride()) == ((1, 6, 2), (3, 3, 1))


def test_keywords_are_listed_as_torchs_hash_table_holds_them():
    with pytest.raises(TypeError, match=r"Tensor, list, density=bool, out=tuple, weight=NoneType"):
        torch.histogramdd(torch.ones(3, 1), [torch.ones(2)], weight=None, density=True, out=(None,))


@pytest.mark.parametrize(
    ("call", "text"),
    [
        ("torch.diag_embed(x, 'a')", "argument 'offset' (position 2) must be int, not str"),
        ("x.diag_embed('a')", "argument 'offset' (position 1) must be int, not str"),
        ("x.diag_embed(0, 0, None)", "argument 'dim2' (position 3) must be int, not NoneType"),
        ("torch.rot90(x, 1, ['a'])", "but found element of type str at pos 0"),
        ("x.permute('a')", "argument 'dims' (position 1) must be tuple of ints, not str"),
        ("x.expand(1, 'a')", 'pos 2 with error "type must be tuple of ints,but got str"'),
        ("torch.asinh([1.0])", "argument 'input' (position 1) must be Tensor, not list"),
        ("x.addcmul(x, 1)", "argument 'tensor2' (position 2) must be Tensor, not int"),
        ("x.eq('a')", " * (Number other)\n"),
    ],
)
def test_arguments_of_functions_and_methods_are_counted_as_each_has_them(call, text):
    with pytest.raises(TypeError) as caught:
        eval(call, {"torch": torch, "x": torch.ones(2, 2)})
    assert text in str(caught.value)


def test_calls_that_fit_a_signature_keep_their_errors():
    x = torch.ones(2, 2)
    for call in (lambda: x.view(3), lambda: x.view(size=(3,)), lambda: x.index_select(0, x)):
        with pytest.raises((RuntimeError, IndexError)):
            call()
