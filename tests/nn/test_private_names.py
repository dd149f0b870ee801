"""Private names of torch.nn that libraries read, and clear by assignment."""

from collections import OrderedDict

import pytest

import minitorch as torch
from minitorch import __future__, nn, ones
from minitorch.nn import _reduction
from minitorch.nn.modules import module
from minitorch.nn.utils import prune, stateless


@pytest.fixture(autouse=True)
def clean():
    yield
    for name in ("_global_forward_hooks", "_global_forward_pre_hooks", "_global_backward_hooks"):
        setattr(module, name, OrderedDict())
    module._global_is_full_backward_hook = None


def test_clearing_global_hooks_by_assignment_takes_them_away():
    seen = []
    module.register_module_forward_hook(lambda *_: seen.append(1))
    layer = nn.Linear(1, 1)
    layer(ones(1))
    module._global_forward_hooks = OrderedDict()
    layer(ones(1))
    assert seen == [1]


def test_a_hook_written_into_the_dictionary_is_called():
    seen = []
    module._global_forward_pre_hooks[7] = lambda module, args: seen.append(len(args))
    nn.Linear(1, 1)(ones(1))
    module._global_forward_pre_hooks.clear()
    nn.Linear(1, 1)(ones(1))
    assert seen == [1]


def test_hooks_assigned_as_a_dictionary_are_called():
    seen = []
    module._global_forward_hooks = {3: lambda *_: seen.append(3)}
    nn.Identity()(ones(1))
    assert seen == [3]
    assert module._has_any_global_hook()


def test_the_kind_of_global_backward_hooks_can_be_read_and_forgotten():
    assert module._global_is_full_backward_hook is None
    handle = module.register_module_full_backward_hook(lambda *_: None)
    assert module._global_is_full_backward_hook is True
    handle.remove()
    module._global_is_full_backward_hook = None
    module.register_module_backward_hook(lambda *_: None).remove()


def test_incompatible_keys_are_what_load_state_dict_returns():
    found = nn.Linear(1, 1).load_state_dict({}, strict=False)
    assert isinstance(found, module._IncompatibleKeys)
    assert module._EXTRA_STATE_KEY_SUFFIX == "_extra_state"
    with pytest.raises(AttributeError, match="_nothing"):
        _ = module._nothing


def test_reductions_have_numbers_and_older_spellings():
    assert [_reduction.get_enum(name) for name in ("none", "mean", "sum")] == [0, 1, 2]
    with pytest.raises(ValueError, match="x is not a valid value for reduction"):
        _reduction.get_enum("x")
    with pytest.warns(UserWarning, match="please use reduction='sum' instead"):
        assert _reduction.legacy_get_string(False, None) == "sum"
    assert _reduction.legacy_get_enum(None, False, emit_warning=False) == 0


def test_conversions_make_new_parameters_where_future_asks_for_them():
    layer = nn.Linear(1, 1)
    layer.weight.grad = ones(1, 1)
    before = layer.weight
    layer.double()
    assert layer.weight is before
    __future__.set_overwrite_module_params_on_conversion(True)
    try:
        layer.float()
    finally:
        __future__.set_overwrite_module_params_on_conversion(False)
    assert layer.weight is not before
    assert layer.weight.grad.dtype is layer.weight.dtype is ones(1).dtype


@pytest.fixture
def _swapping():
    __future__.set_swap_module_params_on_conversion(True)
    yield
    __future__.set_swap_module_params_on_conversion(False)


@pytest.mark.usefixtures("_swapping")
def test_conversions_swap_parameters_where_future_asks_for_it():
    layer = nn.Linear(1, 1)
    layer.weight.grad = ones(1, 1)
    weight, grad = layer.weight, layer.weight.grad
    data = weight.data
    layer.double()
    assert layer.weight is weight
    assert weight.grad is grad
    assert str(weight.dtype) == str(grad.dtype) == "torch.float64"
    assert str(data.dtype) == "torch.float32"
    used = weight * weight
    with pytest.raises(RuntimeError, match=r"_apply\(\): Couldn't swap Linear.weight"):
        layer.float()
    assert used.requires_grad


@pytest.mark.usefixtures("_swapping")
@pytest.mark.parametrize("assign", [False, True])
def test_loading_swaps_parameters_where_future_asks_for_it(assign):
    layer, other = nn.Linear(1, 1), nn.Linear(1, 1).double()
    weight = layer.weight
    layer.load_state_dict(other.state_dict(), assign=assign)
    assert layer.weight is weight
    assert weight.requires_grad
    assert weight.item() == pytest.approx(other.weight.item())
    assert (weight.dtype == other.weight.dtype) is assign
    used = layer.weight * layer.weight
    with pytest.raises(RuntimeError, match='While swapping the parameter named "weight"'):
        layer.load_state_dict(other.state_dict())
    assert used.requires_grad


def test_pruning_checks_can_be_called_by_other_prunings():
    with pytest.raises(TypeError, match="Invalid type for amount: a"):
        prune._validate_pruning_amount_init("a")
    with pytest.raises(ValueError, match="amount=5 should be smaller than the number"):
        prune._validate_pruning_amount(5, 3)
    with pytest.raises(ValueError, match="Structured pruning can only be applied"):
        prune._validate_structured_pruning(torch.ones(3))
    with pytest.raises(IndexError, match="Invalid index 1 for tensor of size"):
        prune._validate_pruning_dim(torch.ones(3), 1)
    assert prune._compute_nparams_toprune(0.5, 5) == 2
    assert prune._compute_norm(torch.tensor([[3.0, 4.0], [0.0, 1.0]]), 2, 0).tolist() == [5.0, 1.0]


def test_stateless_names_replace_tensors_for_a_while():
    module = nn.Linear(2, 2)
    module.other = module.weight
    ones = torch.ones(2, 2)
    named = stateless._untie_named_tensors_map(module, {"weight": ones})
    assert sorted(named) == ["other", "weight"]
    with stateless._reparametrize_module(module, {"weight": ones, "bias": torch.zeros(2)}):
        assert module(torch.ones(1, 2)).tolist() == [[2.0, 2.0]]
    assert not torch.equal(module.weight, ones)
    given = {"weight": ones, "bias": torch.ones(2)}
    assert stateless._functional_call(module, given, torch.ones(1, 2)).tolist() == [[3.0, 3.0]]


def test_short_names_of_linear_algebra_take_none_for_the_identity():
    from minitorch import _linalg_utils

    a = torch.tensor([[2.0, 1.0], [1.0, 3.0]])
    assert torch.equal(_linalg_utils.bform(a, None, a), a @ a)
    assert torch.equal(_linalg_utils.qform(a, a), a @ (a @ a))
    values, vectors = _linalg_utils.symeig(a, largest=True)
    assert values[0] > values[1]
    torch.testing.assert_close(vectors @ torch.diag(values) @ vectors.T, a)
    with pytest.raises(TypeError, match="expected Tensor but got <class 'int'>"):
        _linalg_utils.is_sparse(3)
