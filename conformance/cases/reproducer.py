"""Writes a trial as a short script that runs with either library."""

from typing import TYPE_CHECKING

from conformance.cases.case import SEED
from conformance.oracle.written import making, name, written

if TYPE_CHECKING:
    from conformance.cases.trial import Trial


def reproducer(trial: "Trial", impl: str) -> str:
    """Returns a script: inputs, the call, and what the experiment then looks at."""
    call = trial.call
    lines = [
        f"# {trial.experiment}, {trial.label}",
        f"import torch  # or: import {impl} as torch",
        "",
    ]
    lines += [line for spec in call.tensors for line in making(spec, call)]
    arguments = [written(argument) for argument in call.arguments]
    arguments += [f"{name}={written(value)}" for name, value in call.keywords.items()]
    function = trial.expression
    forward_mode = trial.experiment.startswith("forward mode")
    if forward_mode:
        lines += ["forward_ad = torch.autograd.forward_ad", "forward_ad.enter_dual_level()"]
        for spec in trial.call.tensors:
            if spec.requires_grad:
                dual = f"forward_ad.make_dual({name(spec)}, torch.ones_like({name(spec)}))"
                arguments = [dual if each == name(spec) else each for each in arguments]
    in_place = trial.experiment in ("in-place", "forward mode in place")
    if in_place and any(spec.requires_grad for spec in call.tensors):
        arguments[0] += ".clone()"
    made = f"function({', '.join(arguments)})"
    if trial.experiment == "vmap":
        names = ", ".join(name(spec) for spec in call.tensors)
        batches = ", ".join(f"torch.stack([{name(spec)}.detach()] * 2)" for spec in call.tensors)
        made = f'torch.vmap(lambda {names}: {made}, randomness="different")({batches})'
    lines += [
        f"torch.manual_seed({SEED})",
        *(["import operator"] if "operator." in function else []),
        f"function = {function}",
        f"out = {made}",
        "print(out)",
        *_looking(trial),
        *(["forward_ad.exit_dual_level()"] if forward_mode else []),
    ]
    return "\n".join(lines)


def _looking(trial: "Trial") -> list[str]:
    if trial.experiment in ("out", "error", "vmap"):
        return []
    lines = [
        "outs = out if isinstance(out, (tuple, list)) else [out]",
        "outs = [o for o in outs if isinstance(o, torch.Tensor)]",
        "print([(o.dtype, tuple(o.shape), o.stride(), o.storage_offset()) for o in outs])",
    ]
    wanted = [name(spec) for spec in trial.call.tensors if spec.requires_grad]
    if not wanted:
        return lines
    lines += [
        "outs = [o for o in outs if o.requires_grad]",
        "print([o.grad_fn for o in outs])",
    ]
    ones = "[torch.ones_like(o) for o in outs]"
    call = f"torch.autograd.grad(outs, [{', '.join(wanted)}], {ones}, allow_unused=True"
    if trial.experiment in ("gradient", "in-place"):
        lines.append(f"print({call}))")
    elif trial.experiment == "second gradient":
        lines += [
            f"grads = {call}, create_graph=True)",
            "outs = [g for g in grads if g is not None and g.requires_grad]",
            f"print({call}))",
        ]
    return lines
