"""torch.utils.module_tracker: which modules run."""

import minitorch as torch
from minitorch.utils.module_tracker import ModuleTracker


def test_names_of_modules_are_there_while_they_run():
    model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Tanh())
    seen = []
    with ModuleTracker() as tracker:
        model[0].register_forward_hook(lambda *_: seen.append(set(tracker.parents)))
        y = model(torch.ones(1, 2, requires_grad=True))
        y.register_hook(lambda grad: seen.append((set(tracker.parents), tracker.is_bw)))
        y.sum().backward()
    outside = {"Global", "Sequential"}  # hooks of all modules run before those of one
    assert seen == [outside, (outside | {"Sequential.1"}, True)]
    assert tracker.parents == {"Global"}
    assert not tracker.is_bw
