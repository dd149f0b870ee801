"""autograd.functional: Jacobians, Hessians and their products with vectors."""

import pytest

import minitorch as torch
from minitorch.autograd.functional import hessian, hvp, jacobian, jvp, vhp, vjp

POINT = torch.tensor([0.5, -1.0, 2.0], dtype=torch.float64)
V = torch.tensor([1.0, 3.0, -2.0], dtype=torch.float64)


def cubes(x):
    return x**3 + x.flip(0)


def energy(x):
    return (x**3 * x.flip(0)).sum()


def differences(f, x, step=1e-6):
    """The Jacobian of `f`, column by column."""
    columns = [(f(x + e) - f(x - e)) / (2 * step) for e in torch.eye(3).to(x) * step]
    return torch.stack(columns, dim=-1)


def gradient(x):
    return jacobian(energy, x)


def test_a_jacobian_is_what_differences_say():
    assert torch.allclose(jacobian(cubes, POINT), differences(cubes, POINT))


def test_a_hessian_is_what_differences_say_and_symmetric():
    found = hessian(energy, POINT)
    assert torch.allclose(found, differences(gradient, POINT), atol=1e-6)
    assert torch.allclose(found, found.T)


@pytest.mark.parametrize("create_graph", [False, True])
def test_products_are_those_with_the_whole_matrices(create_graph):
    x = POINT.clone().requires_grad_(create_graph)
    whole, twice = jacobian(cubes, POINT), hessian(energy, POINT)
    out, left = vjp(cubes, x, V, create_graph=create_graph)
    assert torch.equal(out, cubes(POINT))
    assert left.requires_grad is out.requires_grad is create_graph
    for found, wanted in (
        (left, V @ whole),
        (jvp(cubes, x, V, create_graph=create_graph)[1], whole @ V),
        (vhp(energy, x, V, create_graph=create_graph)[1], V @ twice),
        (hvp(energy, x, V, create_graph=create_graph)[1], twice @ V),
    ):
        assert torch.allclose(found, wanted)


def test_results_nest_as_inputs_and_outputs_do():
    def both(a, b):
        return a * b, a.sum()

    a, b = torch.ones(2), torch.ones(2)
    rows = jacobian(both, (a, b))
    assert [[each.shape for each in row] for row in rows] == [[(2, 2), (2, 2)], [(2,), (2,)]]
    assert rows[1][1].tolist() == [0.0, 0.0]
    ((block,),) = hessian(lambda a: (a**2).sum(), (a,))
    assert block.tolist() == [[2.0, 0.0], [0.0, 2.0]]


def test_nothing_is_left_on_what_is_given():
    x = POINT.clone().requires_grad_()
    jacobian(lambda a: a * x, x)
    assert x.grad is None


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: vjp(cubes, POINT), "The vector v can only be None if the user-provided function"),
        (lambda: jvp(cubes, POINT), "The vector v can only be None if the input to the user-prov"),
        (lambda: vjp(cubes, POINT, V[:2]), r"^v has invalid size: should be torch.Size\(\[3\]\)"),
        (lambda: vjp(cubes, POINT, (V, V)), "The given v should contain a single Tensor."),
        (lambda: vjp(lambda x: (x, x), POINT, V), "v is a tuple of invalid length: should be 2"),
        (lambda: hessian(cubes, POINT), "The Tensor returned by the function given to hessian"),
        (lambda: hvp(lambda x: (x,), V, V), "The function given to hvp should return a single"),
        (lambda: jacobian(torch.zeros_like, V, strict=True), "Output 0 of the user-provided func"),
        (lambda: vhp(torch.sum, V, V, strict=True), "While computing the hessian, found that"),
        (
            lambda: vjp(lambda x, y: x, (V, V), V, strict=True),
            "The output of the user-provided function is independent of input 1",
        ),
    ],
)
def test_what_does_not_fit_is_refused(call, text):
    with pytest.raises(RuntimeError, match=text):
        call()


def test_only_tensors_are_differentiated():
    with pytest.raises(TypeError, match="but the given inputs has type <class 'float'>"):
        jacobian(cubes, 1.0)
    with pytest.raises(TypeError, match="but the value at index 1 has type <class 'int'>"):
        jacobian(cubes, (POINT, 1))
