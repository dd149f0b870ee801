"""Every learning-rate scheduler: twenty steps, resumed, in a chain, and refused arguments."""

from collections.abc import Iterator

from conformance.cases.scenario import Scenario

TWO = """[
    lr_scheduler.ConstantLR(optimizer, 0.1, total_iters=4),
    lr_scheduler.ExponentialLR(optimizer, 0.9),
]"""

# Constructions by class. `optimizer` has two groups, with the rates 0.5 and 1.0, and momentum.
CONSTRUCTIONS = {
    "LambdaLR": [
        "LambdaLR(optimizer, lambda epoch: 0.95**epoch)",
        "LambdaLR(optimizer, [lambda epoch: 1 / (1 + epoch), lambda epoch: epoch // 3])",
    ],
    "MultiplicativeLR": [
        "MultiplicativeLR(optimizer, lambda epoch: 0.95)",
        "MultiplicativeLR(optimizer, [lambda epoch: 1 / (1 + epoch), lambda epoch: 0.5])",
    ],
    "StepLR": ["StepLR(optimizer, 3)", "StepLR(optimizer, step_size=7, gamma=0.3)"],
    "MultiStepLR": [
        "MultiStepLR(optimizer, [3, 8])",
        "MultiStepLR(optimizer, milestones=[2, 2, 11], gamma=0.7)",
    ],
    "ConstantLR": ["ConstantLR(optimizer)", "ConstantLR(optimizer, factor=0.25, total_iters=8)"],
    "LinearLR": ["LinearLR(optimizer)", "LinearLR(optimizer, 0.1, 0.6, total_iters=12)"],
    "ExponentialLR": ["ExponentialLR(optimizer, 0.9)", "ExponentialLR(optimizer, gamma=1.1)"],
    "SequentialLR": [
        f"SequentialLR(optimizer, {TWO}, milestones=[5])",
    ],
    "CosineAnnealingLR": [
        "CosineAnnealingLR(optimizer, 10)",
        "CosineAnnealingLR(optimizer, T_max=15, eta_min=0.05)",
    ],
    "ChainedScheduler": [
        f"ChainedScheduler({TWO}, optimizer=optimizer)",
    ],
    "ReduceLROnPlateau": [
        "ReduceLROnPlateau(optimizer, patience=1)",
        "ReduceLROnPlateau(optimizer, 'max', 0.5, 2, 0.01, 'abs', cooldown=1, min_lr=[0.1, 0.2])",
    ],
    "CyclicLR": [
        "CyclicLR(optimizer, 0.1, 0.9, step_size_up=4)",
        "CyclicLR(optimizer, [0.1, 0.2], [0.8, 0.9], 3, 5, mode='triangular2')",
        "CyclicLR(optimizer, 0.1, 0.9, 3, mode='exp_range', gamma=0.99, cycle_momentum=False)",
        "CyclicLR(optimizer, 0.1, 0.9, 3, scale_fn=lambda x: 0.5**x, scale_mode='iterations')",
    ],
    "CosineAnnealingWarmRestarts": [
        "CosineAnnealingWarmRestarts(optimizer, 4)",
        "CosineAnnealingWarmRestarts(optimizer, T_0=3, T_mult=2, eta_min=0.05)",
    ],
    "OneCycleLR": [
        "OneCycleLR(optimizer, 1.0, total_steps=50)",
        "OneCycleLR(optimizer, [1.0, 2.0], epochs=8, steps_per_epoch=6, anneal_strategy='linear')",
        "OneCycleLR(optimizer, 1.0, total_steps=50, three_phase=True, cycle_momentum=False)",
    ],
    "PolynomialLR": [
        "PolynomialLR(optimizer)",
        "PolynomialLR(optimizer, total_iters=15, power=2.0)",
    ],
    "LRScheduler": [],
}

REFUSED = {
    "LambdaLR": ["LambdaLR(optimizer, [lambda epoch: 1])"],
    "MultiplicativeLR": ["MultiplicativeLR(optimizer, [lambda epoch: 1])"],
    "StepLR": ["StepLR(optimizer)", "StepLR(optimizer, 3, last_epoch=5)", "StepLR(3, 3)"],
    "ConstantLR": ["ConstantLR(optimizer, factor=1.5)"],
    "LinearLR": ["LinearLR(optimizer, start_factor=0.0)", "LinearLR(optimizer, end_factor=-1)"],
    "SequentialLR": [
        "SequentialLR(optimizer, [], [])",
        "SequentialLR(optimizer, [lr_scheduler.StepLR(optimizer, 3)], milestones=[5])",
    ],
    "ChainedScheduler": ["ChainedScheduler([])"],
    "ReduceLROnPlateau": [
        "ReduceLROnPlateau(optimizer, factor=1.0)",
        "ReduceLROnPlateau(optimizer, 'least')",
        "ReduceLROnPlateau(optimizer, threshold_mode='none')",
        "ReduceLROnPlateau(optimizer, min_lr=[0.1])",
        "ReduceLROnPlateau(3)",
    ],
    "CyclicLR": [
        "CyclicLR(optimizer, [0.1], 0.9)",
        "CyclicLR(optimizer, 0.1, 0.9, mode='square')",
        "CyclicLR(torch.optim.Adagrad([weight]), 0.1, 0.9)",
    ],
    "CosineAnnealingWarmRestarts": [
        "CosineAnnealingWarmRestarts(optimizer, 0)",
        "CosineAnnealingWarmRestarts(optimizer, 3, T_mult=0)",
    ],
    "OneCycleLR": [
        "OneCycleLR(optimizer, 1.0)",
        "OneCycleLR(optimizer, 1.0, total_steps=-1)",
        "OneCycleLR(optimizer, 1.0, total_steps=9, pct_start=2.0)",
        "OneCycleLR(optimizer, 1.0, total_steps=9, anneal_strategy='square')",
    ],
}

START = """import copy
lr_scheduler = torch.optim.lr_scheduler
weight, bias = nn.Parameter(torch.ones(2)), nn.Parameter(torch.ones(1))
groups = [{"params": [weight], "lr": 0.5}, {"params": [bias]}]
optimizer = torch.optim.SGD(groups, lr=1.0, momentum=0.75)
"""
STEPS = """state = []

def look():
    own = {name: item for name, item in scheduler.state_dict().items() if name != "_schedulers"}
    groups = [{k: v for k, v in group.items() if k != "params"} for group in optimizer.param_groups]
    state.append(copy.deepcopy([scheduler.get_last_lr(), own, groups]))

look()
for step in range(20):
    optimizer.step()
    scheduler.step(METRIC)
    look()
print(repr(scheduler).partition(" at ")[0])
"""
RESUMED = """saved = copy.deepcopy([scheduler.state_dict(), optimizer.state_dict()])
optimizer = torch.optim.SGD(groups[:1] + groups[1:], lr=2.0, momentum=0.5)
scheduler = lr_scheduler.CONSTRUCTION
scheduler.load_state_dict(saved[0])
optimizer.load_state_dict(saved[1])
"""

OWN = """
class Halving(lr_scheduler.LRScheduler):
    def get_lr(self):
        return [rate * 0.5**self.last_epoch for rate in self.base_lrs]

scheduler = Halving(optimizer)
"""


def cases(key: str) -> Iterator[Scenario]:
    """Yields the scenarios of one scheduler."""
    metric = "1 / (1 + step // 4)" if key == "ReduceLROnPlateau" else ""
    steps = STEPS.replace("METRIC", metric)
    early = f"scheduler.step({metric and 1})\nstate = scheduler.get_last_lr()\n"
    for number, construction in enumerate(CONSTRUCTIONS[key]):
        start = f"{START}scheduler = lr_scheduler.{construction}\n"
        resumed = RESUMED.replace("CONSTRUCTION", construction)
        yield _scenario(f"steps, {number}", start + steps)
        yield _scenario(f"resumed, {number}", start + steps + resumed + steps)
        yield _scenario(f"before the optimizer, {number}", start + early)
    if key == "LRScheduler":
        yield _scenario("a class of one's own", START + OWN + steps)
    for construction in REFUSED.get(key, []):
        source = f"{START}scheduler = lr_scheduler.{construction}\n"
        yield Scenario(source, construction, frozenset({"error"}), "error")


def _scenario(label: str, source: str) -> Scenario:
    properties = frozenset({"state", "text", "warnings"})
    return Scenario(source, label, properties, "state", exact=True)
