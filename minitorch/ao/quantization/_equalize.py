"""torch.ao.quantization._equalize: weights of layers in a row brought to ranges of one size.

Nagel et al., https://arxiv.org/abs/1906.04721.
"""

from __future__ import annotations

import copy
from itertools import chain, pairwise
from typing import Any

import minitorch as torch
from minitorch import nn
from minitorch.ao.nn import intrinsic as nni

__all__ = [
    "set_module_weight",
    "set_module_bias",
    "has_bias",
    "get_module_weight",
    "get_module_bias",
    "max_over_ndim",
    "min_over_ndim",
    "channel_range",
    "get_name_by_module",
    "cross_layer_equalization",
    "process_paired_modules_list_to_name",
    "expand_groups_in_paired_modules_list",
    "equalize",
    "converged",
]

_supported_types = {nn.Conv2d, nn.Linear, nn.Conv1d}
_supported_intrinsic_types = {nni.ConvReLU2d, nni.LinearReLU, nni.ConvReLU1d}
_all_supported_types = _supported_types | _supported_intrinsic_types


def _layer(module: Any) -> Any:
    """The layer with the weight: the module itself, or the first of a row."""
    return module if type(module) in _supported_types else module[0]


def set_module_weight(module: Any, weight: Any) -> None:
    """Gives a layer, or the first of a row, another weight."""
    _layer(module).weight = nn.Parameter(weight)


def set_module_bias(module: Any, bias: Any) -> None:
    """Gives a layer, or the first of a row, another bias."""
    _layer(module).bias = nn.Parameter(bias)


def has_bias(module: Any) -> bool:
    """Whether a layer, or the first of a row, has a bias."""
    return _layer(module).bias is not None


def get_module_weight(module: Any) -> Any:
    """The weight of a layer, or of the first of a row."""
    return _layer(module).weight


def get_module_bias(module: Any) -> Any:
    """The bias of a layer, or of the first of a row."""
    return _layer(module).bias


def max_over_ndim(input: Any, axis_list: list[int], keepdim: bool = False) -> Any:
    """The largest numbers over several dimensions; `axis_list` is sorted."""
    axis_list.sort(reverse=True)
    for axis in axis_list:
        input, _ = input.max(axis, keepdim)
    return input


def min_over_ndim(input: Any, axis_list: list[int], keepdim: bool = False) -> Any:
    """The least numbers over several dimensions; `axis_list` is sorted."""
    axis_list.sort(reverse=True)
    for axis in axis_list:
        input, _ = input.min(axis, keepdim)
    return input


def channel_range(input: Any, axis: int = 0) -> Any:
    """The difference of the largest and the least number of each channel.

    Args:
        input: a tensor.
        axis: the dimension of the channels.
    """
    others = [dim for dim in range(input.ndim) if dim != axis]
    least, largest = min_over_ndim(input, others), max_over_ndim(input, others)
    if least.size(0) != input.size(axis):
        raise AssertionError(
            "Dimensions of resultant channel range does not match size of requested axis"
        )
    return largest - least


def get_name_by_module(model: Any, module: Any) -> str:
    """The name of a module in a model. ValueError if it is not there."""
    for name, each in model.named_modules():
        if each is module:
            return name
    raise ValueError("module is not in the model")


def cross_layer_equalization(
    module1: Any, module2: Any, output_axis: int = 0, input_axis: int = 1
) -> None:
    """Scales the channels between two layers so that both weights have ranges of one size.

    Args:
        module1, module2: the layers, or rows that begin with them.
        output_axis: the dimension of outputs in the first weight.
        input_axis: the dimension of inputs in the second.

    Raises:
        ValueError: for modules of other classes.
        TypeError: the numbers of channels differ.
    """
    if type(module1) not in _all_supported_types or type(module2) not in _all_supported_types:
        raise ValueError("module type not supported:", type(module1), " ", type(module2))
    bias = get_module_bias(module1) if has_bias(module1) else None
    weight1, weight2 = get_module_weight(module1), get_module_weight(module2)
    if weight1.size(output_axis) != weight2.size(input_axis):
        raise TypeError(
            "Number of output channels of first arg do not match         number input channels of "
            "second arg"
        )
    range1, range2 = channel_range(weight1, output_axis), channel_range(weight2, input_axis)
    range2 += 1e-9
    factors = torch.sqrt(range1 / range2)
    inverse = torch.reciprocal(factors)
    if bias is not None:
        bias = bias * inverse
    size1, size2 = [1] * weight1.ndim, [1] * weight2.ndim
    size1[output_axis], size2[input_axis] = weight1.size(output_axis), weight2.size(input_axis)
    set_module_weight(module1, weight1 * torch.reshape(inverse, size1))
    if bias is not None:
        set_module_bias(module1, bias)
    set_module_weight(module2, weight2 * torch.reshape(factors, size2))


def process_paired_modules_list_to_name(model: Any, paired_modules_list: Any) -> Any:
    """The lists, in which names stand for modules; they are changed."""
    for group in paired_modules_list:
        for i, item in enumerate(group):
            if isinstance(item, nn.Module):
                group[i] = get_name_by_module(model, item)
            elif not isinstance(item, str):
                raise TypeError("item must be a nn.Module or a string")
    return paired_modules_list


def expand_groups_in_paired_modules_list(paired_modules_list: Any) -> list[Any]:
    """Pairs of neighbours, of lists of two names or more."""
    found: list[Any] = []
    for group in paired_modules_list:
        if len(group) == 1:
            raise ValueError("Group must have at least two modules")
        found += [group] if len(group) == 2 else [list(pair) for pair in pairwise(group)]
    return found


def equalize(
    model: Any, paired_modules_list: Any, threshold: float = 1e-4, inplace: bool = True
) -> Any:
    """The model, in which the weights of layers in a row have ranges of one size.

    Args:
        model: a Module.
        paired_modules_list: lists of layers that follow one another, or of their names.
        threshold: the change of all weights at which it ends.
        inplace: whether `model` itself is changed, not a copy.
    """
    paired_modules_list = process_paired_modules_list_to_name(model, paired_modules_list)
    if not inplace:
        model = copy.deepcopy(model)
    pairs = expand_groups_in_paired_modules_list(paired_modules_list)
    names = set(chain.from_iterable(pairs))
    current = {name: module for name, module in model.named_modules() if name in names}
    previous: dict[str, Any] = dict.fromkeys(current)
    while not converged(current, previous, threshold):
        for first, second in pairs:
            previous[first] = copy.deepcopy(current[first])
            previous[second] = copy.deepcopy(current[second])
            cross_layer_equalization(current[first], current[second])
    return model


def converged(curr_modules: Any, prev_modules: Any, threshold: float = 1e-4) -> bool:
    """Whether the weights have changed by less than a threshold.

    Args:
        curr_modules, prev_modules: layers by their names, now and before; None for none.
        threshold: the sum of the norms of the changes.
    """
    if curr_modules.keys() != prev_modules.keys():
        raise ValueError(
            "The keys to the given mappings must have the same set of names of modules"
        )
    total = torch.tensor(0.0)
    if None in prev_modules.values():
        return False
    for name, module in curr_modules.items():
        total += torch.norm(get_module_weight(module).sub(get_module_weight(prev_modules[name])))
    return bool(total < threshold)
