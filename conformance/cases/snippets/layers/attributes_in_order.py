# torch.nn.Module.__dict__: attributes of modules, optimizers, schedules and distributions, in order
import warnings

warnings.simplefilter("ignore")
x = torch.ones(2).requires_grad_()
ARGUMENTS = (
    (),
    (1,),
    (2, 1),
    (2, 2, 1),
    (1, 1, 1),
    (1, 1, 1, 1),
    (0.5,),
    (torch.ones(2) / 2,),
    (torch.ones(2), torch.ones(2)),
    (torch.ones(2), torch.eye(2)),
    ([x], 0.1),
    ([nn.ReLU()],),
    (torch.optim.SGD([x], 0.1), 1),
    (torch.optim.SGD([x], 0.1), [1, 2]),
    (torch.optim.SGD([x], 0.1), lambda epoch: 1.0),
    (torch.optim.SGD([x], 0.1), 0.1, 1.0),
)
PACKAGES = (nn, torch.optim, torch.optim.lr_scheduler, torch.distributions)
OWN = ("Uninitialized", "Tensor", "Parameter", "Buffer", "_")


def attributes(thing):
    """The names in the order in which they were set, and the classes of the values."""
    return [f"{name}: {type(value).__name__}" for name, value in vars(thing).items()]


for package in PACKAGES:
    for name in sorted(dir(package)):
        cls = getattr(package, name)
        if not isinstance(cls, type) or name.startswith(OWN):
            continue
        if not cls.__module__.startswith("torch") or issubclass(cls, BaseException):
            continue
        for given in ARGUMENTS:
            try:
                made = cls(*given)
            except Exception:
                continue
            if hasattr(made, "__dict__"):
                print(name, len(given), attributes(made))
                break
del PACKAGES, ARGUMENTS, package, cls, made, given, x

# torch.utils.data.Dataset: attributes of sets, samplers and handles, in order
from torch.utils.data import (
    ConcatDataset,
    DataLoader,
    RandomSampler,
    StackDataset,
    Subset,
    TensorDataset,
    WeightedRandomSampler,
)

rows = TensorDataset(torch.ones(4, 2), torch.ones(4))
both = ConcatDataset([rows, rows])
made = [
    *(rows, StackDataset(rows), StackDataset(a=rows), Subset(rows, [1]), both),
    *(RandomSampler(rows), WeightedRandomSampler([1, 2], 1), DataLoader(rows, 2)),
    torch.ones(1, requires_grad=True).register_hook(lambda grad: None),
]
for each in made:
    print(type(each).__name__, [(n, type(v).__name__) for n, v in vars(each).items()])
del made, each, rows, both
