"""Operators of ATen that torch's Python names otherwise: torch.ops.aten.fft_rfft is torch.fft.rfft.

ATen makes nearly all of them of other operators, so that they have no row. A name is looked for in
torch.fft, torch.linalg and torch.special, in the table below, among the functions that write (the
operator `uniform` is `uniform_` of a copy), and among the functions of torch that are no rows.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from inspect import signature
from typing import Any

from minitorch._public.function_schema import overload_text
from minitorch.core.declare.registry import ROWS, function_of_row
from minitorch.core.tensor.tensor import Tensor

_PACKAGES = {"fft_": "fft", "linalg_": "linalg", "special_": "special"}
_LAYERS = "nn.functional"
# Functions elsewhere with the arguments of ATen's schema, by the operator's name.
_ELSEWHERE = {
    "adaptive_avg_pool2d": f"{_LAYERS}:adaptive_avg_pool2d",
    "adaptive_avg_pool3d": f"{_LAYERS}:adaptive_avg_pool3d",
    "linear": f"{_LAYERS}:linear",
    "log_sigmoid": f"{_LAYERS}:logsigmoid",
    "one_hot": f"{_LAYERS}:one_hot",
    "pad": f"{_LAYERS}:pad",
    "pad_sequence": "nn.utils.rnn:pad_sequence",
    "relu6": f"{_LAYERS}:relu6",
    "scaled_dot_product_attention": f"{_LAYERS}:scaled_dot_product_attention",
}
# Losses: ATen counts the reductions none, mean and sum from 0.
_LOSSES = {
    "cross_entropy_loss": "cross_entropy",
    "l1_loss": "l1_loss",
    "multilabel_margin_loss": "multilabel_margin_loss",
    "nll_loss": "nll_loss",
    "nll_loss2d": "nll_loss",
    "nll_loss_nd": "nll_loss",
}
_REDUCTIONS = ("none", "mean", "sum")
_MEAN = re.compile(r"int reduction=(1|Mean)\b")
_ACTIVATIONS = frozenset("hardsigmoid_ hardswish_ hardtanh_ mish_ relu6_ silu_".split())
_WRITTEN = {"copy": "copy_", "normal_functional": "normal_", "zero": "zero_"} | {
    name: f"{name}_" for name in "cauchy exponential geometric log_normal random uniform".split()
}
_PROPERTIES = {"matrix_H": "H", "mH": "mH", "mT": "mT", "numpy_T": "T"}
_SIZES = {"sym_size": "size", "sym_stride": "stride"}
_COUNTS = {"sym_numel": "numel", "sym_storage_offset": "storage_offset"}
_OF_TORCH = {"_stack": "stack", "can_cast": "can_cast", "combinations": "combinations"}
_METHODS = {"_is_all_true": "all", "_is_any_true": "any"}


def composed(name: str) -> Callable[..., Any] | None:
    """The function that is the operator of a name without a row; None if there is none."""
    for start, package in _PACKAGES.items():
        if name.startswith(start):
            return getattr(import_module(f"minitorch.{package}"), name.removeprefix(start), None)
    if name in _ELSEWHERE:
        path, _, own = _ELSEWHERE[name].partition(":")
        return getattr(import_module(f"minitorch.{path}"), own)
    if name in _LOSSES:
        return _by_number(getattr(import_module(f"minitorch.{_LAYERS}"), _LOSSES[name]))
    if name in _ACTIVATIONS:
        return _in_place(getattr(import_module(f"minitorch.{_LAYERS}"), name[:-1]))
    if name in _WRITTEN:
        return _of_a_copy(getattr(Tensor, _WRITTEN[name]))
    if name in _PROPERTIES:
        return lambda self: getattr(self, _PROPERTIES[name])
    if name in _SIZES:
        return _of_sizes(getattr(Tensor, _SIZES[name]))
    if name in _COUNTS:
        return getattr(Tensor, _COUNTS[name])
    if name in _OF_TORCH:
        return getattr(sys.modules["minitorch"], _OF_TORCH[name])
    return getattr(Tensor, _METHODS[name]) if name in _METHODS else None


def _by_number(loss: Callable[..., Any]) -> Callable[..., Any]:
    """A loss with its arguments in ATen's order, and its reduction by number."""
    order = "self target reduction".split()
    if "ignore_index" in signature(loss).parameters:
        order = "self target weight reduction ignore_index label_smoothing".split()

    def called(*args: Any, **kwargs: Any) -> Any:
        given = dict(zip(order, args, strict=False)) | kwargs
        given["reduction"] = _REDUCTIONS[given.get("reduction", 1)]
        return loss(given.pop("self"), given.pop("target"), **given)

    return called


def _in_place(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda self, *args: function(self, *args, inplace=True)


def _of_a_copy(method: Callable[..., Any]) -> Callable[..., Any]:
    # Copied once more: torch's result is of version 0, as if nothing had written into it.
    return lambda self, *args, **kwargs: method(self.clone(), *args, **kwargs).clone()


def _of_sizes(method: Callable[..., Any]) -> Callable[..., Any]:
    return lambda self, *dim: method(self, *dim) if dim else list(method(self))


@cache  # for each call that names no overload asks
def own_form(
    name: str, overload: str | None, function: Callable[..., Any], text: str
) -> Callable[..., Any]:
    """An operator as torch.ops calls it, where that differs from torch's function of that name.

    Args:
        overload: None for a call that names none.
        text: the schema of the overload, or of the first.
    """
    if "!) out" in text:
        return function
    if name == "stft" and overload != "center":
        return _uncentred if overload else _padded_if_asked
    if name == "unique_consecutive":
        return function_of_row(ROWS[name])
    if (name, overload) == ("bernoulli", "Tensor"):
        return _of_a_copy(Tensor.bernoulli_)
    return function if name in _LOSSES else _reducing(function, text, 1)


_STFT = "hop_length win_length window normalized onesided return_complex".split()


def _uncentred(self: Any, n_fft: int, *args: Any, **kwargs: Any) -> Any:
    """torch.stft in its older form, without the two arguments that pad the signal."""
    named = dict(zip(_STFT, args, strict=False))
    return Tensor.stft(self, n_fft, center=False, **named, **kwargs)


def _padded_if_asked(*args: Any, **kwargs: Any) -> Any:
    is_newer = "center" in kwargs or "pad_mode" in kwargs or any(isinstance(x, str) for x in args)
    return Tensor.stft(*args, **kwargs) if is_newer else _uncentred(*args, **kwargs)


def unreduced(packet: Any) -> Callable[..., Any]:
    """An operator as torch's parser calls it: it takes no reduction of a loss that names none."""
    return _reducing(packet, overload_text(packet.__name__, packet.overloads()[0]), 0)


def _reducing(operator: Callable[..., Any], text: str, number: int) -> Callable[..., Any]:
    """An operator of this schema; if that takes a mean (1) where no reduction is named, the
    reduction of this number is taken instead."""
    found = _MEAN.search(text)
    if found is None:
        return operator
    position = text[: found.start()].count(", ")

    def called(*args: Any, **kwargs: Any) -> Any:
        if len(args) <= position:
            kwargs.setdefault("reduction", number)
        return operator(*args, **kwargs)

    return called
