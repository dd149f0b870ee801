"""torch.nn.parallel.scatter_gather: arguments for several devices, and their results joined.

Lists, tuples and dictionaries are taken apart and put together; tensors go to GPUs, which refuses.
"""

from __future__ import annotations

from typing import Any

from minitorch.core.tensor.tensor import Tensor
from minitorch.nn.parallel import comm

__all__ = ["gather", "scatter", "scatter_kwargs"]


def _is_namedtuple(obj: Any) -> bool:
    return isinstance(obj, tuple) and hasattr(obj, "_asdict") and hasattr(obj, "_fields")


is_namedtuple = _is_namedtuple


def scatter(inputs: Any, target_gpus: Any, dim: int = 0) -> Any:
    """A list with the share of each device: parts of tensors along `dim`, other things as they are.

    Raises:
        NotImplementedError: for tensors, which several GPUs would share.
    """
    if isinstance(inputs, Tensor):
        return comm.scatter(inputs, target_gpus, None, dim)
    if _is_namedtuple(inputs):
        return [type(inputs)(*args) for args in zip(*_each(inputs, target_gpus, dim), strict=True)]
    if isinstance(inputs, tuple) and inputs:
        return list(zip(*_each(inputs, target_gpus, dim), strict=True))
    if isinstance(inputs, list) and inputs:
        return [list(each) for each in zip(*_each(inputs, target_gpus, dim), strict=True)]
    if isinstance(inputs, dict) and inputs:
        pairs = _each(inputs.items(), target_gpus, dim)
        return [type(inputs)(each) for each in zip(*pairs, strict=True)]
    return [inputs for _ in target_gpus]


def _each(inputs: Any, target_gpus: Any, dim: int) -> list[Any]:
    return [scatter(each, target_gpus, dim) for each in inputs]


def scatter_kwargs(
    inputs: tuple[Any, ...], kwargs: dict[str, Any] | None, target_gpus: Any, dim: int = 0
) -> tuple[tuple[Any, ...], tuple[dict[str, Any], ...]]:
    """The arguments and keyword arguments of each device, as many of the ones as of the others."""
    by_place = scatter(inputs, target_gpus, dim) if inputs else []
    by_name = scatter(kwargs, target_gpus, dim) if kwargs else []
    by_place += [()] * (len(by_name) - len(by_place))
    by_name += [{}] * (len(by_place) - len(by_name))
    return tuple(by_place), tuple(by_name)


def gather(outputs: Any, target_device: Any, dim: int = 0) -> Any:
    """The results of several devices as one on `target_device`, which may be "cpu".

    Raises:
        AssertionError: for tensors on the CPU.
        ValueError: for dictionaries of different sizes.
    """
    first = outputs[0]
    if isinstance(first, Tensor):
        if any([each.device.type == "cpu" for each in outputs]):
            raise AssertionError("Gather function not implemented for CPU tensors")
        return comm.gather(outputs, dim, target_device)
    if first is None:
        return None
    if isinstance(first, dict):
        if not all([len(first) == len(each) for each in outputs]):
            raise ValueError("All dicts must have the same number of keys")
        return type(first)(
            [(k, gather([each[k] for each in outputs], target_device, dim)) for k in first]
        )
    # TypeError, as in torch, for results that cannot be taken apart.
    joined = [gather(each, target_device, dim) for each in zip(*map(iter, outputs), strict=False)]
    return type(first)._make(joined) if _is_namedtuple(first) else type(first)(joined)
