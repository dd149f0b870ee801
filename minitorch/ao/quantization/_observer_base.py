"""Observers: modules that watch numbers go by, and tell how to round them to few bits.

ObserverBase is the ground of all; UniformQuantizationObserverBase, of those whose grids have even
steps, computes scale and zero point. As torch/ao/quantization/observer.py.
"""

from __future__ import annotations

import warnings
from abc import ABCMeta, abstractmethod
from functools import partial
from typing import Any

import minitorch as torch
from minitorch import nn
from minitorch.ao.quantization.utils import (
    calculate_qmin_qmax,
    check_min_max_valid,
    qparams_of_range,
    unseen_qparams,
    validate_qmin_qmax,
)


class _PartialWrapper:
    """A class with some of its arguments; those of `callable_args` are computed in each call."""

    def __init__(self, p: Any) -> None:
        self.p = p
        self.callable_args: dict[str, Any] = {}

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        for name, compute in self.callable_args.items():
            if name not in keywords:
                keywords[name] = compute()
        return self.p(*args, **keywords)

    def __repr__(self) -> str:
        return repr(self.p) + repr(self.callable_args)

    def with_args(self, **kwargs: Any) -> Any:
        """A wrapper of this one with more arguments."""
        return _with_args(self, **kwargs)

    def with_callable_args(self, **kwargs: Any) -> Any:
        """A wrapper as this one, with more arguments that each call computes."""
        result = _PartialWrapper(p=self.p)
        result.callable_args = {**self.callable_args, **kwargs}
        return result


def _with_args(cls_or_self: Any, **kwargs: Any) -> Any:
    """A maker of objects of a class, with some of the arguments: `Observer.with_args(x=1)()`."""
    return _PartialWrapper(partial(cls_or_self, **kwargs))


def _with_callable_args(cls_or_self: Any, **kwargs: Any) -> Any:
    """A maker of objects of a class, with functions that compute arguments in each call."""
    return _PartialWrapper(partial(cls_or_self)).with_callable_args(**kwargs)


ABC: Any = ABCMeta("ABC", (object,), {})


class ObserverBase(ABC, nn.Module):
    """A module that returns what it is given, and remembers something of it.

    Args:
        dtype: the dtype that the numbers are to be rounded to.
        is_dynamic: whether each call finds scale and zero point anew.

    As torch.ao.quantization.observer.ObserverBase.
    """

    __module__ = "torch.ao.quantization.observer"

    def __init__(self, dtype: Any, is_dynamic: bool = False) -> None:
        super().__init__()
        self.dtype = dtype
        self.is_dynamic = is_dynamic

    @abstractmethod
    def forward(self, x: Any) -> Any:
        """Watches `x` and returns it."""

    @abstractmethod
    def calculate_qparams(self, **kwargs: Any) -> Any:
        """The scale and the zero point for what was seen."""

    with_args = classmethod(_with_args)
    with_callable_args = classmethod(_with_callable_args)


_SCHEMES = (
    *(torch.per_tensor_affine, torch.per_tensor_symmetric),
    *(torch.per_channel_affine, torch.per_channel_symmetric),
    torch.per_channel_affine_float_qparams,
)
_DTYPES = (
    *(torch.qint8, torch.quint8, torch.quint4x2, torch.qint32),
    *(torch.int8, torch.uint8, torch.int16, torch.int32),
    *(torch.float8_e5m2, torch.float8_e4m3fn, torch.uint16),
)


class UniformQuantizationObserverBase(ObserverBase):
    """An observer of grids with even steps, by the least and the largest number.

    Args:
        dtype: the dtype that the numbers are to be rounded to.
        qscheme: whether zero lies in the middle, and whether each channel has its own grid.
        reduce_range: whether the grid has half the points.
        quant_min, quant_max: the least and the largest integer; both None for those of `dtype`.
        factory_kwargs: device and dtype of the buffers.
        eps: the least scale.
        is_dynamic: whether each call finds scale and zero point anew.

    Raises:
        AssertionError: for another dtype or scheme, or an empty range.

    As torch.ao.quantization.observer.UniformQuantizationObserverBase.
    """

    __module__ = "torch.ao.quantization.observer"

    _version = 3  # 2: with eps; 3: HistogramObserver and its kin have scalars of infinity at first
    eps: Any

    def __init__(
        self,
        dtype: Any = torch.quint8,
        qscheme: Any = torch.per_tensor_affine,
        reduce_range: bool = False,
        quant_min: int | None = None,
        quant_max: int | None = None,
        factory_kwargs: Any = None,
        eps: float = torch.finfo(torch.float32).eps,
        is_dynamic: bool = False,
        **kwargs: Any,
    ) -> None:
        factory_kwargs = torch.nn.factory_kwargs(factory_kwargs)
        super().__init__(dtype=dtype, is_dynamic=is_dynamic, **kwargs)
        self.qscheme = qscheme
        if reduce_range:
            warnings.warn(
                "Please use quant_min and quant_max to specify the range for observers."
                "                     reduce_range will be deprecated in a future release "
                "of PyTorch.",
                stacklevel=2,
            )
        self.reduce_range = reduce_range
        self.register_buffer("eps", torch.tensor([eps], **factory_kwargs))
        if self.qscheme not in _SCHEMES:
            raise AssertionError(
                "Default Observer only works for per_tensor_affine, per_tensor_symmetric, "
                "per_channel_affine, per_channel_symmetric and per_channel_float_qparams "
                "quantization scheme"
            )
        if self.dtype not in _DTYPES:
            raise AssertionError(f"Default Observer only works for {_DTYPES} data type")
        self.has_customized_qrange = quant_min is not None and quant_max is not None
        if self.has_customized_qrange:
            self._validate_qmin_qmax(quant_min, quant_max)
        self.quant_min, self.quant_max = calculate_qmin_qmax(
            quant_min, quant_max, self.has_customized_qrange, self.dtype, self.reduce_range
        )

    def _load_from_state_dict(
        self,
        state_dict: Any,
        prefix: str,
        local_metadata: Any,
        strict: bool,
        missing_keys: list[str],
        unexpected_keys: list[str],
        error_msgs: list[str],
    ) -> None:
        if local_metadata.get("version", None) in (None, 1):
            state_dict[prefix + "eps"] = torch.tensor([torch.finfo(torch.float32).eps])
        super()._load_from_state_dict(
            state_dict,
            prefix,
            local_metadata,
            strict,
            missing_keys,
            unexpected_keys,
            error_msgs,
        )

    def _validate_qmin_qmax(self, quant_min: Any, quant_max: Any) -> None:
        validate_qmin_qmax(quant_min, quant_max)

    def _calculate_qparams(self, min_val: Any, max_val: Any) -> tuple[Any, Any]:
        """The scale and the zero point for numbers from `min_val` to `max_val`."""
        if not check_min_max_valid(min_val, max_val):
            return unseen_qparams(min_val)
        middle = None
        if self.dtype in (torch.quint8, torch.uint8):
            custom = self.has_customized_qrange
            middle = (self.quant_min + self.quant_max) // 2 if custom else 128
        elif self.dtype == torch.uint16:
            middle = 2**15
        return qparams_of_range(
            *(min_val, max_val, self.quant_min, self.quant_max, self.eps, self.qscheme, middle)
        )

    def reset_min_max_vals(self) -> None:
        """Forgets what was seen, where a class can."""
        raise NotImplementedError("Cannot reset min/max values in the given observer.")


def state_names(observer: Any) -> str:
    """The text that observers show of themselves: the range that they have seen."""
    return f"min_val={observer.min_val}, max_val={observer.max_val}"
