"""The parts of LBFGS that other optimizers are made of."""

import minitorch as torch
from minitorch.optim import LBFGS, lbfgs


def quadratic(x, t, d):
    place = x + t * d
    return float((place * place).sum()), 2 * place


def test_a_line_search_finds_a_step_that_meets_both_conditions():
    x = torch.tensor([3.0, -4.0])
    loss, grad = quadratic(x, 0, x)
    d = -grad
    slope = grad.dot(d)
    found, there, t, calls = lbfgs._strong_wolfe(quadratic, x, 1.0, d, loss, grad, slope)
    assert found <= loss + 1e-4 * t * slope
    assert abs(there.dot(d)) <= -0.9 * slope
    assert calls == 2


def test_a_cubic_is_least_within_its_bounds():
    def least(**bounds):
        slopes = torch.tensor(-2.0), torch.tensor(2.0)
        return lbfgs._cubic_interpolate(0.0, 1.0, slopes[0], 2.0, 1.0, slopes[1], **bounds)

    assert least() == 1.0
    assert least(bounds=(1.5, 2.0)) == 1.5


def test_evaluating_along_a_direction_leaves_the_parameters_where_they_were():
    param = torch.nn.Parameter(torch.tensor([1.0, 2.0]))
    optimizer = LBFGS([param])
    assert optimizer._numel() == 2

    def closure():
        optimizer.zero_grad()
        loss = (param * param).sum()
        loss.backward()
        return loss

    start = optimizer._clone_param()
    with torch.no_grad():
        evaluate = torch.enable_grad()(closure)
        loss, grad = optimizer._directional_evaluate(evaluate, start, 1.0, torch.ones(2))
    assert loss == 13.0
    assert grad.tolist() == [4.0, 6.0]
    assert param.tolist() == [1.0, 2.0]


def test_complex_parameters_count_twice():
    optimizer = LBFGS([torch.nn.Parameter(torch.ones(3, dtype=torch.complex64))])
    assert optimizer._numel() == 6
