"""`_init_group`, by which classes derived from an optimizer write a step of their own."""

import pytest

import minitorch as torch

LISTS = {"Adam": 4, "AdamW": 4, "NAdam": 4, "RAdam": 3, "Adamax": 3, "RMSprop": 4, "Adadelta": 3}
LISTS |= {"Adagrad": 2, "ASGD": 4, "Rprop": 3}


def parameters():
    """Two parameters with a gradient and one without."""
    found = [torch.nn.Parameter(torch.tensor(float(i + 1))) for i in range(3)]
    found[0].grad, found[2].grad = torch.tensor(0.5), torch.tensor(2.0)
    return found


@pytest.mark.parametrize("name", LISTS)
def test_init_group_lists_what_the_functional_form_takes(name):
    optimizer = getattr(torch.optim, name)(given := parameters())
    params, grads, *states = ([] for _ in range(LISTS[name] + 2))
    found = optimizer._init_group(optimizer.param_groups[0], params, grads, *states)
    assert found == ((False, False) if name == "Adagrad" else False)
    assert params == [given[0], given[2]]
    assert [each.item() for each in grads] == [0.5, 2.0]
    steps = states[-1]
    assert [each.item() for each in steps] == [0.0, 0.0]
    assert steps[0] is optimizer.state[given[0]]["step"]
    assert {len(each) for each in states} <= {0, 2}


def test_a_step_by_lists_and_the_functional_form_is_the_step_of_Adam():
    class Derived(torch.optim.Adam):
        @torch.no_grad()
        def step(self, closure=None):
            for group in self.param_groups:
                lists = [[] for _ in range(6)]
                self._init_group(group, *lists)
                torch.optim.adam.adam(
                    *lists,
                    foreach=False,
                    amsgrad=group["amsgrad"],
                    beta1=group["betas"][0],
                    beta2=group["betas"][1],
                    lr=group["lr"],
                    weight_decay=group["weight_decay"],
                    eps=group["eps"],
                    maximize=group["maximize"],
                )

    mine, theirs = parameters(), parameters()
    for kind, params in ((Derived, mine), (torch.optim.Adam, theirs)):
        optimizer = kind(params, lr=0.1, amsgrad=True)
        optimizer.step()
        optimizer.step()
    assert [each.item() for each in mine] == [each.item() for each in theirs]


def test_init_group_of_SGD_lists_momentum_buffers_or_None():
    optimizer = torch.optim.SGD(given := parameters(), lr=0.1, momentum=0.9)
    lists = [], [], []
    assert optimizer._init_group(optimizer.param_groups[0], *lists) is False
    assert lists[2] == [None, None]
    optimizer.step()
    lists = [], [], []
    optimizer._init_group(optimizer.param_groups[0], *lists)
    assert [each.item() for each in lists[2]] == [0.5, 2.0]
    assert lists[0] == [given[0], given[2]]


def test_init_group_refuses_sparse_gradients_as_a_step_does():
    weight = torch.nn.Parameter(torch.ones(2, 2))
    optimizer = torch.optim.RMSprop([weight])
    weight.grad = torch.eye(2).to_sparse()
    with pytest.raises(RuntimeError, match="RMSprop does not support sparse gradients"):
        optimizer._init_group(optimizer.param_groups[0], [], [], [], [], [], [])
