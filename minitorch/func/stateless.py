"""Modules as functions of their parameters. As torch/_functorch/functional_call.py."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from minitorch.core.base.formulas import OPS
from minitorch.nn.modules.batchnorm import _BatchNorm
from minitorch.nn.modules.module import Module
from minitorch.nn.utils._named_member_accessor import NamedMemberAccessor


def functional_call(
    module: Module,
    parameter_and_buffer_dicts: Any,
    args: Any = None,
    kwargs: dict[str, Any] | None = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """module(*args, **kwargs) with other parameters and buffers, given by their names.

    Args:
        module: the Module, which is unchanged afterwards.
        parameter_and_buffer_dicts: a dict from names to Tensors, or several without common names.
        args: a tuple of arguments, or one argument.
        kwargs: a dict of arguments by name.
        tie_weights: whether a tensor with several names in the module is replaced under all.
        strict: whether all names must be given, and no others.

    Returns:
        The result of the module.

    Raises:
        ValueError: for values that are no dicts, and for a name in two of them.
        RuntimeError: under `strict`, for names that are missing or unknown.

    As torch.func.functional_call.
    """
    dicts = parameter_and_buffer_dicts
    if isinstance(dicts, dict):
        tensors = dicts
    elif isinstance(dicts, Sequence):
        if not all([isinstance(each, dict) for each in dicts]):
            raise ValueError(
                "Expected all elements of parameter_and_buffer_dicts to be dictionaries"
            )
        repeated = [k for k, n in Counter([k for d in dicts for k in d]).items() if n > 1]
        if repeated:
            raise ValueError(
                f"{repeated} appeared in multiple dictionaries; behavior of functional call is "
                "ambiguous"
            )
        tensors = {k: v for d in dicts for k, v in d.items()}
    else:
        raise ValueError(
            "Expected parameter_and_buffer_dicts to be a dict, or a list/tuple of dicts, but got "
            f"{type(dicts)}"
        )
    args = () if args is None else args if isinstance(args, tuple) else (args,)
    with replaced(module, tensors, tie_weights, strict):
        return module(*args, **kwargs or {})


@contextmanager
def replaced(
    module: Module, tensors: dict[str, Any], tie_weights: bool, strict: bool
) -> Iterator[None]:
    """A context in which a module has other tensors; at its end `tensors` has their last values."""
    given = under_all_names(module, tensors) if tie_weights else tensors
    if strict:
        _check_names(module, given)
    members = NamedMemberAccessor(module)
    before: dict[str, Any] = {}
    try:
        before, _ = members.swap_tensors_dict(given, allow_missing=True)
        yield
    finally:
        after, _ = members.swap_tensors_dict(before, allow_missing=True)
        tensors.update({name: after[name] for name in tensors if name in after})


def _named(module: Module) -> dict[str, Any]:
    """All tensors of a module by all of their names."""
    named = dict(module.named_parameters(remove_duplicate=False))
    return named | dict(module.named_buffers(remove_duplicate=False))


def under_all_names(module: Module, tensors: dict[str, Any]) -> dict[str, Any]:
    """`tensors`, also under the other names of the tensors that they replace."""
    names: dict[int, list[str]] = {}
    for name, tensor in _named(module).items():
        names.setdefault(id(tensor), []).append(name)
    result = dict(tensors)
    for tied in names.values():
        given = [name for name in tied if name in tensors]
        if len(given) > 1 and len({id(tensors.get(name)) for name in tied}) != 1:
            raise ValueError(
                f"functional_call got multiple values for keys {sorted(tied)}, which are tied. "
                "Consider using tie_weights=False"
            )
        result.update({name: tensors[given[0]] for name in tied if given})
    return result


def _check_names(module: Module, tensors: dict[str, Any]) -> None:
    known = _named(module).keys()
    complaints = [
        f"{what} key(s): {', '.join(map(repr, sorted(names)))}."
        for what, names in (("Unexpected", tensors.keys() - known), ("Missing", known - tensors))
        if names
    ]
    if complaints:
        listed = "\n\t".join(complaints)
        raise RuntimeError(f"Error(s) in reparametrizing for {module._get_name()}:\n\t{listed}")


def stack_module_state(models: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """The parameters of several modules of one class, stacked, by name; and their buffers.

    Args:
        models: a list of Modules, at least one, all in training mode or none.

    Returns:
        Two dicts from names to Tensors, whose first dimension goes over the models; the parameters
            are leaves.

    Raises:
        RuntimeError: for no models, and for models of different classes or modes.

    As torch.func.stack_module_state.
    """
    title = "stack_module_state: Expected"
    if not len(models):
        raise RuntimeError(f"{title} at least one model, got 0.")
    if len({m.training for m in models}) > 1:
        raise RuntimeError(f"{title} all models to have the same training/eval mode.")
    if len({type(m) for m in models}) > 1:
        raise RuntimeError(f"{title} all models to be of the same class.")
    parameters = _stacked([dict(model.named_parameters()) for model in models])
    return parameters, _stacked([dict(model.named_buffers()) for model in models])


def _stacked(states: list[dict[str, Any]]) -> dict[str, Any]:
    result = {}
    for name in states[0]:
        tensors = [state[name] for state in states]
        wanting = {tensor.requires_grad for tensor in tensors}
        if len(wanting) > 1:
            raise RuntimeError(f"Expected {name} from each model to have the same .requires_grad")
        whole = OPS.stack(tensors, 0)
        result[name] = whole.detach().requires_grad_() if wanting == {True} else whole
    return result


def replace_all_batch_norm_modules_(root: Module) -> Module:
    """`root`, after its batch norms were changed to keep no running statistics.

    Args:
        root: a Module, which is changed.

    Returns:
        `root`.

    As torch.func.replace_all_batch_norm_modules_.
    """
    for module in root.modules():
        if isinstance(module, _BatchNorm) and module.track_running_stats:
            module.running_mean = module.running_var = module.num_batches_tracked = None
            module.track_running_stats = False
    return root
