"""Weights that hooks or parametrisations compute; fusion; modules that are not drawn."""

import copy
import pickle

import pytest

import minitorch as torch
from minitorch import nn
from minitorch.nn.utils import parametrizations, parametrize


@pytest.mark.parametrize("dim", [0, 1, -1])
def test_the_length_and_the_direction_of_a_weight(dim):
    v = torch.randn(3, 4, dtype=torch.float64, requires_grad=True)
    norms = torch.norm_except_dim(v, 2, dim)
    others = (1 - dim,) if dim >= 0 else (0, 1)
    assert torch.allclose(norms.flatten(), v.norm(dim=others).flatten())
    g = torch.rand(norms.shape, dtype=torch.float64).requires_grad_()
    torch.autograd.gradcheck(lambda v, g: torch._weight_norm(v, g, dim), (v, g))
    if dim == -1:  # as in torch, second derivatives of the others take the norms as constants
        torch.autograd.gradgradcheck(lambda v, g: torch._weight_norm(v, g, dim), (v, g))


def test_weight_norm_parts_a_weight_and_puts_it_together():
    layer = nn.Linear(4, 3)
    before, x = layer.weight.detach().clone(), torch.randn(2, 4)
    with pytest.warns(FutureWarning, match="is deprecated in favor of"):
        nn.utils.weight_norm(layer)
    assert torch.allclose(layer.weight, before)
    layer(x).sum().backward()
    assert layer.weight_g.grad.shape == (3, 1)
    layer.weight_g.data.mul_(2)
    layer(x)
    assert torch.allclose(nn.utils.remove_weight_norm(layer).weight, 2 * before)
    with pytest.raises(ValueError, match="weight_norm of 'weight' not found"):
        nn.utils.remove_weight_norm(layer)


@pytest.mark.parametrize("make", [nn.utils.spectral_norm, parametrizations.spectral_norm])
def test_spectral_norm_comes_near_the_largest_singular_value(make):
    torch.manual_seed(0)
    weight = torch.randn(3, 5)
    layer = nn.Linear(5, 3)
    layer.weight.data = weight.clone()
    make(layer, n_power_iterations=20)
    layer(torch.zeros(1, 5))
    largest = (weight @ weight.T).numpy()
    import numpy

    expected = weight / float(numpy.linalg.eigvalsh(largest).max()) ** 0.5
    assert torch.allclose(layer.weight, expected, atol=1e-4)


class Symmetric(nn.Module):
    def forward(self, x):
        return x.triu() + x.triu(1).mT

    def right_inverse(self, a):
        return a.triu()


def test_a_parametrised_weight_is_computed_and_can_be_assigned():
    layer = parametrize.register_parametrization(nn.Linear(3, 3), "weight", Symmetric())
    assert torch.equal(layer.weight, layer.weight.T)
    assert type(layer).__name__ == "ParametrizedLinear"
    layer.weight = torch.arange(9.0).view(3, 3)
    assert layer.weight[2, 0].item() == 2
    layer(torch.ones(1, 3)).sum().backward()
    assert layer.parametrizations.weight.original.grad is not None
    with parametrize.cached():
        assert layer.weight is layer.weight
    weight = copy.deepcopy(layer).weight
    assert torch.equal(weight, layer.weight)
    with pytest.raises(RuntimeError, match="only supported through state_dict"):
        pickle.dumps(layer)
    parametrize.remove_parametrizations(layer, "weight")
    assert type(layer) is nn.Linear
    assert type(layer.weight) is nn.Parameter
    assert torch.equal(layer.weight, weight)


def test_a_parametrisation_keeps_shape_and_dtype_unless_it_is_unsafe():
    with pytest.raises(ValueError, match="may not change the shape"):
        parametrize.register_parametrization(nn.Linear(2, 3), "weight", nn.Flatten(0))
    layer = nn.Linear(2, 3)
    parametrize.register_parametrization(layer, "weight", nn.Flatten(0), unsafe=True)
    assert layer.weight.shape == (6,)
    with pytest.raises(ValueError, match="does not have a parametrization on bias"):
        parametrize.remove_parametrizations(layer, "bias")


def test_a_weight_of_a_length_and_a_direction_loads_what_the_hook_saved():
    layer = parametrizations.weight_norm(nn.Linear(4, 3))
    with pytest.warns(FutureWarning):
        old = nn.utils.weight_norm(nn.Linear(4, 3))
    layer.load_state_dict(old.state_dict())
    assert torch.equal(layer.weight, old.weight)


def test_fused_layers_do_what_both_did():
    norm = nn.BatchNorm2d(3).eval()
    norm.running_mean.normal_()
    norm.running_var.uniform_(1, 2)
    conv = nn.Conv2d(2, 3, 2, bias=False).eval()
    x = torch.randn(1, 2, 4, 4)
    assert torch.allclose(nn.utils.fuse_conv_bn_eval(conv, norm)(x), norm(conv(x)), atol=1e-6)
    with pytest.raises(AssertionError, match="Fusion only for eval"):
        nn.utils.fuse_conv_bn_eval(conv.train(), norm)


def test_a_module_that_is_not_drawn_leaves_the_generator_alone():
    torch.manual_seed(0)
    expected = torch.rand(2)
    torch.manual_seed(0)
    layer = nn.utils.skip_init(nn.Linear, 3, 2)
    assert torch.equal(torch.rand(2), expected)
    assert layer.weight.shape == (2, 3)
    with pytest.raises(RuntimeError, match="Module must support a 'device' arg"):
        nn.utils.skip_init(nn.ReLU)


@pytest.mark.parametrize("name", ["matrix_exp", "cayley", "householder"])
@pytest.mark.parametrize("shape", [(3, 3), (2, 4), (4, 2)])
def test_an_orthogonal_weight_stays_orthogonal(name, shape):
    layer = parametrizations.orthogonal(nn.Linear(*shape, dtype=torch.float64), "weight", name)
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
    x = torch.randn(5, shape[0], dtype=torch.float64)
    for _ in range(3):
        layer(x).square().sum().backward()
        optimizer.step()
    weight = layer.weight if layer.weight.shape[0] >= layer.weight.shape[1] else layer.weight.T
    assert torch.allclose(weight.T @ weight, torch.eye(min(shape), dtype=torch.float64))


def test_only_matrices_are_made_orthogonal():
    with pytest.raises(ValueError, match="Expected a matrix or batch of matrices"):
        parametrizations.orthogonal(nn.Linear(2, 2), "bias")
    with pytest.raises(ValueError, match="orthogonal_map has to be one of"):
        parametrizations.orthogonal(nn.Linear(2, 2), orthogonal_map="gram")
