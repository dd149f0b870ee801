"""torch.ao.pruning: which weights are zero, and how many as training goes on."""

import pytest

import minitorch as torch
from minitorch import nn
from minitorch.ao import pruning


def small_model() -> nn.Module:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(8, 4), nn.ReLU(), nn.Linear(4, 4))


def test_WeightNormSparsifier_makes_the_blocks_of_least_norm_zero():
    model = small_model()
    sparsifier = pruning.WeightNormSparsifier(sparsity_level=0.5, sparse_block_shape=(1, 4))
    sparsifier.prepare(model, [{"tensor_fqn": "0.weight"}])
    norms = model[0].weight.detach().pow(2).reshape(8, 4).sum(1)
    sparsifier.step()
    zero = (model[0].weight.reshape(8, 4) == 0).all(1)
    assert zero.sum() == 4
    assert norms[zero].max() <= norms[~zero].min()


def test_zeros_per_block_leaves_the_other_elements():
    model = small_model()
    sparsifier = pruning.WeightNormSparsifier(1.0, (1, 4), zeros_per_block=3)
    sparsifier.prepare(model, None)
    sparsifier.step()
    for layer in (model[0], model[2]):
        assert (layer.weight.reshape(-1, 4) == 0).sum(1).tolist() == [3] * (
            layer.weight.numel() // 4
        )


def test_masks_are_the_sparsifiers_and_not_the_models_state():
    model = small_model()
    sparsifier = pruning.WeightNormSparsifier()
    sparsifier.prepare(model, None)
    sparsifier.step()
    assert list(sparsifier.state_dict()["state"]) == ["0.weight", "2.weight"]
    assert not any("mask" in name for name in model.state_dict())
    sparsifier.squash_mask()
    assert type(model[0]) is nn.Linear
    assert (model[0].weight == 0).sum() == 16


def test_NearlyDiagonalSparsifier_keeps_the_diagonals():
    model = nn.Sequential(nn.Linear(4, 4))
    sparsifier = pruning.NearlyDiagonalSparsifier(3)
    sparsifier.prepare(model, None)
    sparsifier.step()
    assert torch.equal(model[0].weight != 0, torch.ones(4, 4).triu(-1).tril(1).bool())
    sparsifier.groups[0]["nearliness"] = 2
    with pytest.raises(ValueError, match="can only be an odd number"):
        sparsifier.step()


def test_a_configuration_names_a_tensor():
    with pytest.raises(AssertionError, match="tensor_fqn is a required argument"):
        pruning.WeightNormSparsifier().prepare(small_model(), [{}])


def test_LambdaSL_sets_the_shares_of_all_tensors():
    sparsifier = pruning.WeightNormSparsifier(sparsity_level=0.8)
    sparsifier.prepare(small_model(), None)
    scheduler = pruning.LambdaSL(sparsifier, lambda epoch: 0.5**epoch)
    assert scheduler.get_last_sl() == [0.8, 0.8]
    sparsifier.step()
    scheduler.step()
    assert scheduler.get_last_sl() == [0.4, 0.4]
    with pytest.raises(TypeError, match=r"not an instance of torch\.ao\.pruning"):
        pruning.LambdaSL.__mro__[1](small_model())


def test_CubicSL_grows_to_the_share_of_the_sparsifier():
    sparsifier = pruning.WeightNormSparsifier(sparsity_level=0.8)
    sparsifier.prepare(small_model(), [{"tensor_fqn": "0.weight"}])
    scheduler = pruning.CubicSL(sparsifier, init_sl=0.1, delta_t=1, total_t=2)
    shares = scheduler.get_last_sl()
    for _ in range(2):
        sparsifier.step()
        scheduler.step()
        shares += scheduler.get_last_sl()
    assert shares == pytest.approx([0.1, 0.7125, 0.8])


def test_scheduler_step_before_sparsifier_step_warns():
    sparsifier = pruning.WeightNormSparsifier()
    sparsifier.prepare(small_model(), None)
    scheduler = pruning.LambdaSL(sparsifier, lambda epoch: 1.0)
    with pytest.warns(UserWarning, match=r"before `sparsifier.step\(\)`"):
        scheduler.step()
