"""The optimizers that step with Tensor operations: their numbers, states, and refusals."""

import copy

import pytest

import minitorch as torch
from minitorch import nn

DECOUPLED = {"lr": 0.1, "weight_decay": 0.1, "decoupled_weight_decay": True}
# Where seven steps on the sum of p**3 lead from [1, -2, 0.5], by torch 2.13.0.
LED = [
    ("ASGD", {"lr": 0.1, "weight_decay": 0.1, "t0": 1}, [0.268363, -5348064231424.0, 0.21681]),
    ("Adadelta", {"weight_decay": 0.1}, [0.977005, -2.023435, 0.477283]),
    ("Adagrad", {"lr": 0.1, "lr_decay": 0.1}, [0.708574, -2.352495, 0.251508]),
    ("Adamax", {"lr": 0.1, "weight_decay": 0.1}, [0.474892, -2.631675, 0.078911]),
    ("NAdam", {"lr": 0.1}, [0.545451, -2.606305, 0.141646]),
    ("NAdam", DECOUPLED, [0.505197, -2.441313, 0.130581]),
    ("RAdam", {"lr": 0.1}, [0.09116, -66.095573, 0.214024]),
    ("RMSprop", {"lr": 0.1, "momentum": 0.9, "centered": True}, [-15.62398, -23.44846, -20.81657]),
    ("Rprop", {"lr": 0.1}, [-0.291591, -3.29159, -0.791591]),
]
NAMES = sorted({name for name, _, _ in LED})


def walked(optimizer, p, steps):
    for _ in range(steps):
        optimizer.zero_grad()
        (p**3).sum().backward()
        optimizer.step()


def start():
    return nn.Parameter(torch.tensor([1.0, -2.0, 0.5]))


@pytest.mark.parametrize(("name", "options", "ends"), LED)
def test_steps_lead_where_torch_leads(name, options, ends):
    p = start()
    walked(getattr(torch.optim, name)([p], **options), p, 7)
    assert p.tolist() == pytest.approx(ends, rel=1e-5)


@pytest.mark.parametrize(("name", "options", "ends"), LED)
def test_an_optimizer_goes_on_from_its_state(name, options, ends):
    kind = getattr(torch.optim, name)
    p = start()
    first = kind([p], **options)
    walked(first, p, 3)
    q = nn.Parameter(p.detach().clone())
    second = kind([q])
    second.load_state_dict(copy.deepcopy(first.state_dict()))
    walked(second, q, 4)
    assert q.tolist() == pytest.approx(ends, rel=1e-5)


@pytest.mark.parametrize("name", NAMES)
def test_a_differentiable_step_is_recorded(name):
    p = torch.ones(2, requires_grad=True)
    x = p * 2
    x.retain_grad()
    optimizer = getattr(torch.optim, name)([x], lr=0.1, differentiable=True)
    x.grad = torch.ones(2)
    optimizer.step()
    assert x.grad_fn is not None
    x.sum().backward()
    assert p.grad is not None


@pytest.mark.parametrize("name", NAMES)
def test_complex_parameters_step_as_pairs_of_numbers(name):
    z = nn.Parameter(torch.tensor([1 + 2j]))
    pair = nn.Parameter(torch.tensor([1.0, 2.0]))
    for p, grad in ((z, torch.tensor([0.5 - 1j])), (pair, torch.tensor([0.5, -1.0]))):
        p.grad = grad
        getattr(torch.optim, name)([p], lr=0.1).step()
    assert torch.view_as_real(z.detach())[0].tolist() == pytest.approx(pair.tolist())


@pytest.mark.parametrize("name", NAMES)
def test_options_out_of_range_are_refused(name):
    with pytest.raises(ValueError, match="Invalid learning rate: -1"):
        getattr(torch.optim, name)([start()], lr=-1)
    with pytest.raises(ValueError, match="Tensor lr must be 1-element"):
        getattr(torch.optim, name)([start()], lr=torch.ones(2))


@pytest.mark.parametrize("search", [None, "strong_wolfe"])
def test_lbfgs_goes_down_rosenbrocks_valley_as_torchs_does(search):
    p = nn.Parameter(torch.tensor([-1.2, 1.0], dtype=torch.float64))
    options = {"max_iter": 200, "line_search_fn": search, "lr": 1 if search else 0.003}
    ends = [0.9999814, 0.9999620] if search else [-1.1627032, 1.1113138]  # by torch 2.13.0
    optimizer = torch.optim.LBFGS([p], **options)

    def closure():
        optimizer.zero_grad()
        loss = (1 - p[0]) ** 2 + 100 * (p[1] - p[0] ** 2) ** 2
        loss.backward()
        return loss

    first = optimizer.step(closure)
    assert first.item() == pytest.approx(24.2)
    assert p.tolist() == pytest.approx(ends, abs=1e-6)
    assert optimizer.state[p]["func_evals"] == (43 if search else 200)


READ = {  # the entries of a state, in the order in which torch 2.13.0 reads them
    "Adadelta": ["square_avg", "acc_delta", "step"],
    "Adagrad": ["sum", "step"],
    "Adam": ["exp_avg", "exp_avg_sq", "step"],
    "Adamax": ["exp_avg", "exp_inf", "step"],
    "ASGD": ["mu", "ax", "eta", "step"],
    "NAdam": ["exp_avg", "exp_avg_sq", "mu_product", "step"],
    "RAdam": ["exp_avg", "exp_avg_sq", "step"],
    "RMSprop": ["square_avg", "step"],
    "Rprop": ["prev", "step_size", "step"],
    "SparseAdam": ["exp_avg", "exp_avg_sq", "step"],
}


@pytest.mark.parametrize("name", READ)
def test_a_state_without_an_entry_is_refused_before_any_write(name):
    p, q = nn.Parameter(torch.ones(2, 2)), nn.Parameter(torch.ones(2, 2))
    optimizer = getattr(torch.optim, name)([p, q])
    for each in (p, q):
        each.grad = torch.ones(2, 2).to_sparse() if name == "SparseAdam" else torch.ones(2, 2)
    held = {"more": 1}
    for entry in READ[name]:
        optimizer.state[q] = dict(held)
        before = p.detach().clone()
        with pytest.raises(KeyError, match=f"'{entry}'"):
            optimizer.step()
        assert torch.equal(p, before)
        held[entry] = torch.zeros(()) if entry in ("step", "mu", "eta") else torch.zeros(2, 2)


def test_adafactor_asks_for_what_the_shape_of_grad_needs():
    for size, message in ((2, 2), "row_var and col_var"), ((2,), "variance"):
        p = nn.Parameter(torch.ones(size))
        p.grad = torch.ones(size)
        optimizer = torch.optim.Adafactor([p])
        optimizer.state[p] = {"step": torch.tensor(0.0)}
        with pytest.raises(AssertionError, match=message):
            optimizer.step()


def test_muon_steps_along_a_matrix_that_is_nearly_orthogonal():
    p = nn.Parameter(torch.zeros(2, 3))
    p.grad = torch.tensor([[3.0, 0.0, 0.0], [0.0, 0.5, 0.0]])
    torch.optim.Muon([p], lr=1.0, weight_decay=0, momentum=0).step()
    assert -p.detach().numpy()[[0, 1], [0, 1]] == pytest.approx([1, 1], abs=0.35)
    with pytest.raises(ValueError, match="only supports 2D parameters"):
        torch.optim.Muon([start()])
