"""Observers that compute nothing of what they see. As torch/ao/quantization/observer.py."""

from __future__ import annotations

import warnings
from typing import Any, NoReturn

import minitorch as torch
from minitorch.ao.quantization._observer_base import ObserverBase


def _refuse(observer: Any) -> NoReturn:
    raise Exception(f"calculate_qparams should not be called for {observer}")


class FixedQParamsObserver(ObserverBase):
    """An observer of a scale and a zero point that are known beforehand.

    Args:
        scale: the step of the grid.
        zero_point: the integer of zero.
        dtype: the dtype that the numbers are to be rounded to.
        qscheme: whether zero lies in the middle.
        quant_min, quant_max: the least and the largest integer.
        is_dynamic: False.

    Raises:
        NotImplementedError: with is_dynamic.

    As torch.ao.quantization.observer.FixedQParamsObserver.
    """

    __module__ = "torch.ao.quantization.observer"

    scale: Any
    zero_point: Any

    def __init__(
        self,
        scale: float,
        zero_point: int,
        dtype: Any = torch.quint8,
        qscheme: Any = torch.per_tensor_affine,
        quant_min: int = 0,
        quant_max: int = 255,
        is_dynamic: bool = False,
        **kwargs: Any,
    ) -> None:
        if is_dynamic:
            raise NotImplementedError("FixedQParamsObserver doesn't support dynamic quantization")
        super().__init__(dtype=dtype, is_dynamic=is_dynamic, **kwargs)
        self.quant_min = quant_min
        self.quant_max = quant_max
        self.register_buffer("scale", torch.tensor([scale], dtype=torch.float))
        self.register_buffer("zero_point", torch.tensor([zero_point], dtype=torch.int))
        self.dtype = dtype
        self.qscheme = qscheme

    def forward(self, X: Any) -> Any:
        """`X`."""
        return X

    def calculate_qparams(self) -> Any:
        """The scale and the zero point that the observer was made with."""
        return self.scale, self.zero_point


class PlaceholderObserver(ObserverBase):
    """An observer that only says what is to be done with the numbers.

    Args:
        dtype: the dtype that the numbers are to be rounded to.
        custom_op_name: the name of an operator of a backend, for ONNX.
        compute_dtype: deprecated: if given, it is warned of.
        quant_min, quant_max: the least and the largest integer.
        qscheme: whether zero lies in the middle; per_tensor_affine for None.
        eps: the least scale; that of float32 for None.
        is_dynamic: whether each call finds scale and zero point anew.

    As torch.ao.quantization.observer.PlaceholderObserver.
    """

    __module__ = "torch.ao.quantization.observer"

    def __init__(
        self,
        dtype: Any = torch.float32,
        custom_op_name: str = "",
        compute_dtype: Any = None,
        quant_min: int | None = None,
        quant_max: int | None = None,
        qscheme: Any = None,
        eps: float | None = None,
        is_dynamic: bool = False,
    ) -> None:
        super().__init__(dtype=dtype, is_dynamic=is_dynamic)
        self.dtype = dtype
        self.qscheme = torch.per_tensor_affine if qscheme is None else qscheme
        self.quant_min = quant_min
        self.quant_max = quant_max
        self.eps = torch.finfo(torch.float32).eps if eps is None else eps
        self.custom_op = custom_op_name
        if compute_dtype:
            warnings.warn(
                "Please use `is_dynamic` instead of `compute_dtype`."
                "                     `compute_dtype` will be deprecated in a future release"
                "                     of PyTorch.",
                stacklevel=2,
            )

    def forward(self, x: Any) -> Any:
        """`x`."""
        return x

    def extra_repr(self) -> str:
        """The dtype, and whether each call finds scale and zero point anew."""
        return f"dtype={self.dtype}, is_dynamic={self.is_dynamic}"

    def calculate_qparams(self) -> Any:
        """Raises an Exception: nothing was seen."""
        _refuse("PlaceholderObserver")


class RecordingObserver(ObserverBase):
    """An observer that keeps a copy of each tensor it sees, for debugging.

    Args:
        dtype: the dtype that the numbers are to be rounded to.

    As torch.ao.quantization.observer.RecordingObserver.
    """

    __module__ = "torch.ao.quantization.observer"

    def __init__(self, dtype: Any = torch.quint8) -> None:
        super().__init__(dtype=dtype, is_dynamic=False)
        self.tensor_val: list[Any] = []

    def forward(self, x: Any) -> Any:
        """Keeps a copy of `x`, and returns it."""
        self.tensor_val.append(x.clone())
        return x

    def calculate_qparams(self) -> Any:
        """Raises an Exception: nothing was computed."""
        _refuse("RecordingObserver")

    def get_tensor_value(self) -> list[Any]:
        """The copies of what was seen."""
        return self.tensor_val


class NoopObserver(ObserverBase):
    """An observer that only says which dtype the numbers are to be rounded to.

    Args:
        dtype: that dtype.
        custom_op_name: the name of an operator of a backend, for ONNX.

    As torch.ao.quantization.observer.NoopObserver.
    """

    __module__ = "torch.ao.quantization.observer"

    def __init__(self, dtype: Any = torch.float16, custom_op_name: str = "") -> None:
        super().__init__(dtype=dtype, is_dynamic=False)
        self.dtype = dtype
        self.custom_op = custom_op_name

    def forward(self, x: Any) -> Any:
        """`x`."""
        return x

    def calculate_qparams(self) -> Any:
        """Raises an Exception: nothing was seen."""
        _refuse("NoopObserver")


class ReuseInputObserver(ObserverBase):
    """Stands for the observer of an operator's input, for operators that move numbers about.

    As torch.ao.quantization.observer.ReuseInputObserver.
    """

    __module__ = "torch.ao.quantization.observer"

    def __init__(self) -> None:
        super().__init__(torch.quint8, is_dynamic=False)

    def forward(self, x: Any) -> Any:
        """`x`."""
        return x

    def calculate_qparams(self) -> Any:
        """Raises an Exception: nothing was seen."""
        _refuse("ReuseInputObserver")
