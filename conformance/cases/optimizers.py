"""The optimizers of torch.optim, with the configurations of `optim_db`, and every scheduler.

A key is a class. Its scenarios: five steps in each configuration and implementation, with a
closure, in several groups, saved and loaded, differentiated; and what it refuses.
"""

from collections.abc import Iterator
from functools import cache
from typing import Any

import torch

from conformance.cases import schedulers
from conformance.cases.database import OptimizerErrorEnum, optim_db
from conformance.cases.modules import HALF
from conformance.cases.scenario import Scenario
from conformance.options import Options
from conformance.oracle.describe import Call, Unsupported, describe
from conformance.oracle.device import is_host
from conformance.oracle.written import written

STEPPED = frozenset({"state", "text", "warnings"})

# t0 and t1 are parameters, t2 and t3 what their gradients are multiples of. The third parameter
# never has one, the second one has none in the first step.
START = """import copy
weight, bias, idle = (torch.nn.Parameter(t.clone()) for t in (t0, t1, t1))
parameters = [weight, bias, idle]
optimizer = torch.optim.{construction}
print(optimizer)
"""
STEPS = """state = [optimizer.defaults]
for step in range(5):
    weight.grad = t2 * (step - 1.5)
    bias.grad = t3 * (2 - step) if step else None
    optimizer.step()
    state.append(copy.deepcopy([parameters, optimizer.state_dict()]))
"""
SPARSE_STEPS = STEPS.replace("t2 * (step - 1.5)", "(t2 * (step - 1.5)).to_sparse()").replace(
    "t3 * (2 - step) if", "(t3 * (2 - step)).to_sparse() if"
)
WITH_CLOSURE = """state = []

def closure():
    optimizer.zero_grad()
    loss = ((weight * t2).sum() - 1).abs() ** 2 + (bias - t3).abs().square().sum()
    loss.backward()
    return loss

for step in range(3):
    state.append(optimizer.step(closure))
    state.append(copy.deepcopy([parameters, optimizer.state_dict()]))
"""
LOADED = """saved = copy.deepcopy(optimizer.state_dict())
parameters = weight, bias, idle = [torch.nn.Parameter(t.detach().clone()) for t in parameters]
optimizer = torch.optim.{construction}
optimizer.load_state_dict(saved)
print(optimizer)
"""
DIFFERENTIATED = """leaf, grads = t0.clone().requires_grad_(), t2.clone().requires_grad_()
weight = leaf.clone()
weight.grad = grads
optimizer = torch.optim.{construction}
optimizer.step()
print(optimizer)
state = copy.deepcopy(optimizer.defaults)
weight.abs().sum().backward()
grad = [leaf.grad, grads.grad]
"""
HANDLED = """import pickle
order = []
optimizer.register_step_pre_hook(lambda *given: order.append(("before", len(given))))
optimizer.register_step_post_hook(lambda *given: order.append(("after", len(given))))
optimizer.register_state_dict_post_hook(lambda *given: order.append(("saved", len(given))))
optimizer.register_load_state_dict_pre_hook(lambda *given: order.append(("loading", len(given))))
STEPS
optimizer.load_state_dict(optimizer.state_dict())
optimizer.zero_grad(set_to_none=False)
state += [parameter.grad for parameter in parameters]
optimizer.zero_grad()
state += [parameter.grad for parameter in parameters]
for other in (copy.deepcopy(optimizer), pickle.loads(pickle.dumps(optimizer))):
    print(other)
    state += [other.state_dict(), other.defaults, other.param_groups]
"""
GROUPS = (
    '[{"params": [weight], "lr": 0.25}, {"params": bias, "lr": 0.125}]',
    '[("weight", weight), ("bias", bias)]',
)


@cache
def optimizers() -> dict[str, Any]:
    """Returns every entry of optim_db by its key."""
    return {info.name: info for info in optim_db}


def keys(options: Options) -> list[str]:
    """Returns the names of the optimizers and of the schedulers."""
    return [*optimizers(), *schedulers.CONSTRUCTIONS]


def cases(key: str, options: Options) -> Iterator[Scenario]:
    """Yields the scenarios of one class; the same ones for the same options."""
    if key in schedulers.CONSTRUCTIONS:
        return schedulers.cases(key)
    return _cases(optimizers()[key], options)


def _cases(info: Any, options: Options) -> Iterator[Scenario]:
    dtypes = ["float32", "float64"]
    if options.profile == "full":
        dtypes += HALF
    if info.supports_complex:
        dtypes.append("complex64")
    for dtype in options.dtypes or dtypes:
        if dtype in dtypes:
            inputs = info.optim_inputs_func(device="cpu", dtype=getattr(torch, dtype))
            every = dtype in ("float32", "float64") or options.profile == "full"
            for number, given in enumerate(inputs[: options.limit if every else 1]):
                label = f"{dtype}, {given.desc}"
                yield from _configured(info, given.kwargs, dtype, label, not number, options.seed)
    if "float32" in (options.dtypes or dtypes):
        yield from _refused(info, options.seed)


def _configured(
    info: Any, keywords: dict, dtype: str, label: str, first: bool, seed: int
) -> Iterator[Scenario]:
    """Yields the scenarios of one configuration, most of them only for the first."""

    def scenario(what: str, source: str, given: Call, properties=STEPPED) -> Scenario:
        return Scenario(source, f"{what}, {label}", properties, "state", given)

    for name, flags in (_implementations(info) if dtype == "float32" else {"": {}}).items():
        text, given = _construction(info, {**keywords, **flags}, dtype, seed)
        steps = _steps(info)
        if flags.get("fused"):  # torch's fused kernels want all gradients or none
            steps = steps.replace(" if step else None", "")
        stepped = START.format(construction=text) + steps
        yield scenario(f"steps{name}", stepped, given)
        if not first:
            continue
        handled = START.format(construction=text) + HANDLED.replace("STEPS\n", steps)
        yield scenario(f"handled{name}", handled, given, STEPPED | {"order"})
        loaded = LOADED.format(construction=text)
        yield scenario(f"saved and loaded{name}", stepped + loaded + steps, given)
        if not info.step_requires_closure and not info.only_supports_sparse_grads:
            closure = START.format(construction=text) + WITH_CLOSURE
            yield scenario(f"with a closure{name}", closure, given)
        if info.supports_param_groups:
            for number, groups in enumerate(GROUPS):
                source = START.format(construction=text.replace("parameters", groups, 1)) + steps
                yield scenario(f"groups {number}{name}", source, given)
    if first and info.has_capturable_arg and is_host():  # where torch refuses it
        text, given = _construction(info, {**keywords, "capturable": True}, dtype, seed)
        yield scenario("capturable", START.format(construction=text) + STEPS, given)
    if "differentiable" in info.supported_impls and dtype not in HALF:
        text, given = _construction(info, {**keywords, "differentiable": True}, dtype, seed)
        source = "import copy\n" + DIFFERENTIATED.format(construction=text)
        source = source.replace("parameters", "[weight]", 1)
        properties = frozenset({"grad", "state", "text", "warnings"})
        yield scenario("differentiable", source, given, properties)


def _steps(info: Any) -> str:
    if info.step_requires_closure:
        return WITH_CLOSURE
    return SPARSE_STEPS if info.only_supports_sparse_grads else STEPS


def _implementations(info: Any) -> dict[str, dict]:
    """Returns the flags of every implementation there is on the CPU."""
    found: dict[str, dict] = {"": {}}
    if "foreach" in info.supported_impls:
        found[", foreach"] = {"foreach": True}
        found[", one by one"] = {"foreach": False}
    if "fused" in info.supported_impls and "cpu" in info.supports_fused_on:
        found[", fused"] = {"fused": True}
    return found


def _construction(info: Any, keywords: dict, dtype: str, seed: int) -> tuple[str, Call]:
    """Returns the call of the class and its inputs: t0 to t3, and tensors among its arguments."""
    torch.manual_seed(seed)
    kind = getattr(torch, dtype)
    sizes = [(3, 2), (2, 2) if info.name == "Muon" else (4,)] * 2
    tensors = [(torch.randint(-16, 17, size) / 8).to(kind) for size in sizes]
    call = describe(tuple(tensors), keywords)
    arguments = ["parameters", *(f"{name}={written(v)}" for name, v in call.keywords.items())]
    return f"{info.name}({', '.join(arguments)})", call


def _refused(info: Any, seed: int) -> Iterator[Scenario]:
    """Yields what torch's own tests expect the class to refuse, in construction or in a step."""
    torch.manual_seed(seed)
    errors = info.optim_error_inputs_func(device="cpu", dtype=torch.float32)
    for each in errors:
        given = each.optimizer_error_input
        parameters = [torch.ones(2, 3)] if given.params is None else given.params
        try:
            call = describe((parameters,), given.kwargs)
        except Unsupported:  # sparse parameters
            continue
        arguments = [written(call.arguments[0])]
        arguments += [f"{name}={written(value)}" for name, value in call.keywords.items()]
        source = f"optimizer = torch.optim.{info.name}({', '.join(arguments)})\n"
        if each.error_on is OptimizerErrorEnum.STEP_ERROR:
            source = "t0.grad = torch.ones_like(t0)\n" + source + "optimizer.step()\n"
        pattern = "" if each.error_type is UserWarning else each.error_regex
        properties = frozenset({"error", "warnings"})
        yield Scenario(source, given.desc, properties, "error", call, pattern=pattern)
