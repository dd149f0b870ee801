"""How finely numbers are rounded, and observers that say so. Torch's experiment for torchao.

As torch/ao/quantization/observer.py.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any

import minitorch as torch
from minitorch.ao.quantization._observer_base import ABC, _with_args


class MappingType(Enum):
    """Whether zero lies in the middle of the integers."""

    SYMMETRIC = auto()
    SYMMETRIC_NO_CLIPPING_ERR = auto()
    ASYMMETRIC = auto()


class ZeroPointDomain(Enum):
    """Whether zero points are integers, floating-point numbers, or not there."""

    INT = auto()
    FLOAT = auto()
    NONE = auto()


class TorchAODType(Enum):
    """Integers of few bits for which torch has no dtype."""

    INT1 = auto()
    INT2 = auto()
    INT3 = auto()
    INT4 = auto()
    INT5 = auto()
    INT6 = auto()
    INT7 = auto()


@dataclass(frozen=True)
class Granularity:
    """The ground of the classes that say which elements share a scale and a zero point."""


@dataclass(frozen=True)
class PerBlock(Granularity):
    """Those of a block.

    block_size: its size in each dimension.
    """

    block_size: tuple[int, ...]


@dataclass(frozen=True)
class PerTensor(Granularity):
    """All elements."""


@dataclass(frozen=True)
class PerAxis(Granularity):
    """Those with one index in a dimension.

    axis: the dimension.
    """

    axis: int


@dataclass(frozen=True)
class PerGroup(Granularity):
    """Neighbours in a row.

    group_size: how many.
    """

    group_size: int


class PerRow(Granularity):
    """Those of a row: all indices but the last are equal."""


class PerToken(Granularity):
    """Those of a token: all indices but the last are equal."""


def get_block_size(input_shape: Any, granularity: Granularity) -> tuple[int, ...]:
    """The shape of the blocks of elements that share a scale.

    Args:
        input_shape: the shape of the tensor.
        granularity: which elements do.

    Raises:
        AssertionError: for a class instead of an object of it, or groups of a tensor that is no
            matrix.
        ValueError: for a class without blocks.
    """
    if not isinstance(granularity, Granularity):
        raise AssertionError("Please provide an instance of Granularity, not subclass of it")
    if isinstance(granularity, PerTensor):
        return input_shape
    if isinstance(granularity, PerAxis):
        block = list(input_shape)
        block[granularity.axis] = 1
        return tuple(block)
    if isinstance(granularity, PerRow):
        return (1,) * (len(input_shape) - 1) + (input_shape[-1],)
    if isinstance(granularity, PerGroup):
        if len(input_shape) != 2:
            raise AssertionError(
                "Expecting input shape dim to be 2 for per group quantization, gotinput shape: "
                f"{input_shape}"
            )
        return 1, granularity.group_size
    if isinstance(granularity, PerToken):
        block = [1] * len(input_shape)
        block[-1] = input_shape[-1]
        return tuple(block)
    raise ValueError(f"Unsupported Granularity: {granularity}")


class AffineQuantizedObserverBase(ABC, torch.nn.Module):
    """An observer that says how finely, and to which dtype, the numbers are to be rounded.

    Args:
        mapping_type: whether zero lies in the middle.
        target_dtype: the dtype.
        granularity: which elements share a scale.
        quant_min, quant_max: the least and the largest integer.
        eps: the least scale.
        scale_dtype, zero_point_dtype: the dtypes of the parameters.
        preserve_zero: whether zero is a point of the grid.
        zero_point_domain: whether zero points are integers.

    As torch.ao.quantization.observer.AffineQuantizedObserverBase.
    """

    __module__ = "torch.ao.quantization.observer"

    with_args = classmethod(_with_args)

    def __init__(
        self,
        mapping_type: MappingType,
        target_dtype: Any,
        granularity: Granularity,
        quant_min: int | None = None,
        quant_max: int | None = None,
        eps: float | None = None,
        scale_dtype: Any = None,
        zero_point_dtype: Any = None,
        preserve_zero: bool = True,
        zero_point_domain: ZeroPointDomain | None = ZeroPointDomain.INT,
        **kwargs: Any,
    ) -> None:
        super().__init__()
        if granularity is None:
            raise AssertionError("granularity is None")
        self.mapping_type = mapping_type
        self.target_dtype = target_dtype
        self.granularity = granularity
        self.quant_min = quant_min
        self.quant_max = quant_max
        self.eps = eps
        self.scale_dtype = scale_dtype
        self.zero_point_dtype = zero_point_dtype
        self.preserve_zero = preserve_zero
        self.zero_point_domain = zero_point_domain
        self.block_size = None
        self.original_dtype = None

    @abstractmethod
    def forward(self, input: Any) -> Any:
        """Watches `input` and returns it."""

    @abstractmethod
    def calculate_qparams(self) -> Any:
        """The scale and the zero point for what was seen."""

    def convert(self, model: Any, observer_node: Any) -> None:
        """Refuses to put operators of torch.ops.pt2e_quant into a graph."""
        raise NotImplementedError(
            "torch.ao.quantization.observer.AffineQuantizedObserverBase.convert is not "
            "implemented by minitorch"
        )
