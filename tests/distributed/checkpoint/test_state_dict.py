"""The state of models by names without wrappers, in the one process that there is."""

import pytest

import minitorch as torch
from minitorch import nn
from minitorch.distributed.checkpoint.state_dict import (
    StateDictOptions,
    get_model_state_dict,
    set_model_state_dict,
)


def _wrapped():
    return nn.Sequential(nn.Linear(2, 1), torch.compile(nn.Linear(1, 1)))


def _ones(model):
    return {key: torch.ones_like(value) for key, value in get_model_state_dict(model).items()}


def test_names_of_compiled_modules_are_left_out():
    assert list(_wrapped().state_dict())[2:] == ["1._orig_mod.weight", "1._orig_mod.bias"]
    assert list(get_model_state_dict(_wrapped())) == ["0.weight", "0.bias", "1.weight", "1.bias"]


def test_the_state_shares_memory_with_the_parameters():
    model = _wrapped()
    assert get_model_state_dict(model)["0.weight"].data_ptr() == model[0].weight.data_ptr()


def test_frozen_parameters_can_be_ignored():
    model = _wrapped()
    model[1].weight.requires_grad_(False)
    state = get_model_state_dict(model, options=StateDictOptions(ignore_frozen_params=True))
    assert list(state) == ["0.weight", "0.bias", "1.bias"]


@pytest.mark.parametrize("prefixed", [True, False])
def test_chosen_submodules_are_deprecated(prefixed):
    model, options = _wrapped(), StateDictOptions(keep_submodule_prefixes=prefixed)
    with pytest.warns(FutureWarning, match="Getting submodules only"):
        state = get_model_state_dict(model, submodules={model[0]}, options=options)
    assert list(state) == (["0.weight", "0.bias"] if prefixed else ["weight", "bias"])


@pytest.mark.parametrize("full", [True, False])
def test_a_state_is_loaded_by_names_without_wrappers(full):
    model = _wrapped()
    options = StateDictOptions(full_state_dict=full)
    keys = set_model_state_dict(model, _ones(model), options=options)
    assert str(keys) == "<All keys matched successfully>"
    assert all(bool((parameter == 1).all()) for parameter in model.parameters())


def test_a_missing_name_is_refused_unless_the_state_is_full():
    model, state = _wrapped(), _ones(_wrapped())
    del state["1.bias"]
    with pytest.raises(RuntimeError, match=r"Missing key: 1\.bias\."):
        set_model_state_dict(model, dict(state))
    del state["0.bias"]
    loose = StateDictOptions(strict=False)
    missing = set_model_state_dict(model, dict(state), options=loose).missing_keys
    assert missing == ["0.bias", "1._orig_mod.bias"]
    plain = nn.Linear(1, 1)
    before = plain.bias.item()
    options = StateDictOptions(full_state_dict=True)
    set_model_state_dict(plain, {"weight": torch.ones(1, 1)}, options=options)
    assert (plain.weight.item(), plain.bias.item()) == (1, before)


def test_a_model_on_meta_takes_tensors_that_are_given():
    with torch.device("meta"):
        model = nn.Sequential(nn.Linear(1, 1, bias=False), nn.BatchNorm1d(1, device="cpu"))
    weight = torch.ones(1, 1)
    options = StateDictOptions(full_state_dict=True)
    set_model_state_dict(model, {"0.weight": weight}, options=options)
    assert model[0].weight.device.type == "cpu"
    assert model[0].weight.item() == 1


def test_what_needs_other_processes_is_refused():
    options = StateDictOptions(full_state_dict=True, broadcast_from_rank0=True)
    with pytest.raises(ValueError, match="Default process group has not been initialized"):
        set_model_state_dict(_wrapped(), {}, options=options)
    with pytest.raises(ValueError, match="full_state_dict must be True"):
        get_model_state_dict(_wrapped(), options=StateDictOptions(broadcast_from_rank0=True))
