"""The sources of modules, optimizers and schedulers find planted faults, and only these."""

import pytest
import torch

from conformance.cases import modules, optimizers
from conformance.cases.sources import Unit
from conformance.differ.compare import Grade
from conformance.examine import examine
from conformance.options import Options
from conformance.tests.faulty import Faulty

nn, optim = torch.nn, torch.optim


class NearlyInitialised(nn.Linear):
    def reset_parameters(self):
        super().reset_parameters()
        self.weight.data *= 1 + 2**-23  # one unit in the last place


class DrawsAgain(nn.Linear):
    def reset_parameters(self):
        super().reset_parameters()
        torch.rand(1)


class Terse(nn.Linear):
    def extra_repr(self):
        return f"{self.in_features}, {self.out_features}"


class BiasFirst(nn.Linear):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self._parameters["weight"] = self._parameters.pop("weight")


class Detached(nn.Linear):
    def forward(self, input):
        return nn.functional.linear(input, self.weight.detach(), self.bias)


class Frozen(nn.BatchNorm2d):
    def forward(self, input):
        mean, var = self.running_mean, self.running_var
        self.running_mean, self.running_var = None, None
        if not self.training:
            self.running_mean, self.running_var = mean, var
        output = super().forward(input)
        self.running_mean, self.running_var = mean, var
        return output


class AlwaysTraining(nn.BatchNorm2d):
    def forward(self, input):
        training, self.training = self.training, True
        output = super().forward(input)
        self.training = training
        return output


class Permissive(nn.GroupNorm):
    def __init__(self, groups, channels, *args, **kwargs):
        super().__init__(1 if channels % groups else groups, channels, *args, **kwargs)


class LongSteps(optim.SGD):
    def __init__(self, params, lr=1e-3, **kwargs):
        super().__init__(params, lr * 1.001, **kwargs)
        for group in (self.defaults, *self.param_groups):
            group["lr"] = lr if group["lr"] == lr * 1.001 else group["lr"]

    def step(self, closure=None):
        for group in self.param_groups:
            group["lr"] *= 1.001
        loss = super().step(closure)
        for group in self.param_groups:
            group["lr"] /= 1.001
        return loss


class Untold(optim.Adam):
    def __repr__(self):
        return super().__repr__().replace("amsgrad", "ams_grad")


class Forgetful(optim.Adam):
    def state_dict(self):
        return {**super().state_dict(), "state": {}}


class Late(optim.lr_scheduler.StepLR):
    def get_lr(self):
        self.last_epoch -= 1
        rates = super().get_lr()
        self.last_epoch += 1
        return rates


# fault: (source, key, property that must notice, class)
FAULTS = {
    "a wrong initialisation": ("modules", "Linear", "state", NearlyInitialised),
    "a draw too many": ("modules", "Linear", "effects", DrawsAgain),
    "a wrong repr": ("modules", "Linear", "text", Terse),
    "another order of parameters": ("modules", "Linear", "state", BiasFirst),
    "a lost gradient": ("modules", "Linear", "grad", Detached),
    "a lost update of a buffer": ("modules", "BatchNorm2d", "state", Frozen),
    "a mode that is ignored": ("modules", "BatchNorm2d", "value", AlwaysTraining),
    "a check that is left out": ("modules", "GroupNorm", "error", Permissive),
    "a wrong step": ("optimizers", "SGD", "state", LongSteps),
    "a wrong repr of options": ("optimizers", "Adam", "text", Untold),
    "a lost state": ("optimizers", "Adam", "state", Forgetful),
    "a rate that comes late": ("optimizers", "StepLR", "state", Late),
}


def faulty(source, key, fault):
    fault.__name__ = key
    if source == "modules":
        return Faulty(nn=Faulty(torch.nn, **{key: fault}))
    if key.endswith("LR"):
        schedulers = Faulty(torch.optim.lr_scheduler, **{key: fault})
        return Faulty(optim=Faulty(torch.optim, lr_scheduler=schedulers))
    return Faulty(optim=Faulty(torch.optim, **{key: fault}))


@pytest.mark.parametrize("name", FAULTS)
def test_a_planted_fault_is_found(name):
    source, key, noticed, fault = FAULTS[name]
    verdict = examine(Unit(source, key), Options(limit=2), faulty(source, key, fault))
    assert not verdict.trouble
    assert not verdict.found[noticed].passes, verdict.found[noticed]


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize(
    ("source", "key"),
    [
        ("modules", "BatchNorm2d"),
        ("modules", "LazyConv1d"),
        ("modules", "LSTM"),
        ("modules", "TransformerEncoder"),
        ("optimizers", "Adam"),
        ("optimizers", "LBFGS"),
        ("optimizers", "CyclicLR"),
    ],
)
def test_torch_does_not_differ_from_itself(source, key, seed):
    verdict = examine(Unit(source, key), Options(impl="torch", seed=seed, limit=3))
    assert verdict.found
    assert not verdict.trouble
    assert all(found.grade is Grade.SAME for found in verdict.found.values())


def test_a_class_that_is_not_there_is_missing_not_wrong():
    class Without(Faulty):
        def __getattr__(self, name):
            if name == "GroupNorm":
                raise AttributeError("torch.nn.GroupNorm is not implemented by minitorch")
            return super().__getattr__(name)

    verdict = examine(Unit("modules", "GroupNorm"), Options(), Faulty(nn=Without(torch.nn)))
    assert {found.grade for found in verdict.found.values()} == {Grade.MISSING}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("source", "key"),
    [
        (modules, "Linear"),
        (modules, "CrossEntropyLoss"),
        (modules, "TransformerEncoder"),
        (modules, "LSTM"),
        (optimizers, "Adam"),
        (optimizers, "OneCycleLR"),
    ],
)
def test_every_script_runs(source, key, capsys):
    for case in source.cases(key, Options(limit=1, dtypes=("float32",))):
        if case.main == "error" or "*" in case.perform(torch):
            continue
        capsys.readouterr()
        exec(compile(case.script("minitorch"), case.title, "exec"), {})
        assert capsys.readouterr().out
