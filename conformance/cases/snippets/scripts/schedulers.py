"""Learning rates over the epochs, by every schedule a tutorial shows."""

import torch
from torch import nn, optim
from torch.optim import lr_scheduler as S

torch.manual_seed(0)


def fresh(**kwargs):
    return optim.SGD([nn.Parameter(torch.ones(1))], lr=0.1, momentum=0.9, **kwargs)


MAKERS = {
    "lambda": lambda o: S.LambdaLR(o, lambda e: 0.95**e),
    "multiplicative": lambda o: S.MultiplicativeLR(o, lambda e: 0.9),
    "step": lambda o: S.StepLR(o, 3),
    "multistep": lambda o: S.MultiStepLR(o, [2, 5], gamma=0.5),
    "constant": lambda o: S.ConstantLR(o, factor=0.25, total_iters=4),
    "linear": lambda o: S.LinearLR(o),
    "exponential": lambda o: S.ExponentialLR(o, 0.8),
    "polynomial": lambda o: S.PolynomialLR(o, total_iters=6, power=2.0),
    "cosine": lambda o: S.CosineAnnealingLR(o, T_max=5, eta_min=0.01),
    "restarts": lambda o: S.CosineAnnealingWarmRestarts(o, T_0=3, T_mult=2),
    "cyclic": lambda o: S.CyclicLR(o, 0.01, 0.2, step_size_up=3, mode="triangular2"),
    "one cycle": lambda o: S.OneCycleLR(o, max_lr=0.5, total_steps=10),
    "sequential": lambda o: S.SequentialLR(
        o, [S.LinearLR(o, 0.1, total_iters=3), S.ExponentialLR(o, 0.9)], milestones=[3]
    ),
    "chained": lambda o: S.ChainedScheduler([S.ConstantLR(o), S.ExponentialLR(o, gamma=0.9)]),
}
for name, make in MAKERS.items():
    optimizer = fresh()
    scheduler = make(optimizer)
    rates = []
    for _ in range(9):
        optimizer.step()
        rates.append(f"{optimizer.param_groups[0]['lr']:.4f}")
        scheduler.step()
    print(f"{name:15s}", *rates, optimizer.param_groups[0]["momentum"])
optimizer = fresh()
plateau = S.ReduceLROnPlateau(optimizer, "min", factor=0.5, patience=1, threshold=1e-2)
for loss in (1.0, 0.9, 0.9, 0.9, 0.9, 0.5, 0.5, 0.5, 0.5):
    plateau.step(loss)
    print(plateau.get_last_lr(), plateau.num_bad_epochs, end=" ")
print()
print(S.StepLR(fresh(), 4).state_dict())
