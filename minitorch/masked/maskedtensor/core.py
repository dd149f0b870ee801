"""MaskedTensor: a tensor and a mask that says which of its elements count.

As torch/masked/maskedtensor/core.py: a wrapper subclass, whose operators `_ops_refs` computes on
data and mask.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import minitorch as torch
from minitorch.core.declare.protocols.torch_function import converted
from minitorch.masked._sparse_where import _sparse_coo_where, _sparse_csr_where
from minitorch.overrides import get_default_nowrap_functions
from minitorch.utils import wrapper_subclasses

__all__ = ["MaskedTensor", "is_masked_tensor"]

_PROTOTYPE = (
    "The PyTorch API of MaskedTensors is in prototype stage and will change in the near future. "
    "Please open a Github issue for features requests and see our documentation on the "
    "torch.masked module for further information about the project."
)
_WITH_GRADIENT = (
    "It is not recommended to create a MaskedTensor with a tensor that requires_grad. To avoid "
    "this, you can use data.detach().clone()"
)
_DTYPES = frozenset(
    (torch.float16, torch.float32, torch.float64, torch.bool)
    + (torch.int8, torch.int16, torch.int32, torch.int64)
)
_FORMAT = "{0:8.4f}"


def unsupported(what: str) -> str:
    """The text of torch's warning before it refuses an operator."""
    return (
        f"{what}.\nIf you would like this operator to be supported, please file an issue for a "
        "feature request at https://github.com/pytorch/maskedtensor/issues with a minimal "
        "reproducible code snippet.\nIn the case that the semantics for the operator are not "
        "trivial, it would be appreciated to also include a proposal for the semantics."
    )


def is_masked_tensor(obj: Any, /) -> bool:
    """Whether a thing is a MaskedTensor."""
    return isinstance(obj, MaskedTensor)


def _indices_match(a: Any, b: Any) -> bool:
    """Whether two sparse tensors of one layout have their elements at the same places."""
    if a.layout == torch.sparse_coo:
        return _tensors_match(a.indices(), b.indices())
    return _tensors_match(a.crow_indices(), b.crow_indices()) and _tensors_match(
        a.col_indices(), b.col_indices()
    )


def _tensors_match(
    a: Any, b: Any, exact: bool = True, rtol: float = 1e-05, atol: float = 1e-08
) -> bool:
    """Whether two tensors are equal, or close if not `exact`; their dtypes may differ.

    ValueError for MaskedTensors, and for tensors of different layouts.
    """
    if is_masked_tensor(a) or is_masked_tensor(b):
        raise ValueError("Neither `a` nor `b` can be a MaskedTensor.")
    if a.layout != b.layout:
        raise ValueError(f"`a` and `b` must have the same layout. Got {a.layout} and {b.layout}")
    if a.dtype != b.dtype:
        b = b.type(a.dtype)
    if a.layout in (torch.sparse_coo, torch.sparse_csr):
        return _tensors_match(a.values(), b.values(), exact) and _indices_match(a, b)
    if a.dim() != b.dim():
        return False
    return torch.eq(a, b).all().item() if exact else torch.allclose(a, b, rtol=rtol, atol=atol)


def _masks_match(a: Any, b: Any) -> bool:
    """Whether two things, if both are MaskedTensors, have the same mask."""
    both = is_masked_tensor(a) and is_masked_tensor(b)
    return not both or _tensors_match(a.get_mask(), b.get_mask())


def _map_mt_args_kwargs(
    args: Any, kwargs: Any, map_fn: Callable[[Any], Any]
) -> tuple[list[Any], dict[str, Any]]:
    """Arguments with map_fn(x) in place of each MaskedTensor x, those in lists included."""

    def mapped(x: Any) -> Any:
        if is_masked_tensor(x):
            return map_fn(x)
        if isinstance(x, (list, tuple)):
            return (list if isinstance(x, list) else tuple)(map(mapped, x))
        return x

    return [mapped(x) for x in args], {name: mapped(x) for name, x in (kwargs or {}).items()}


def _wrap_result(result_data: Any, result_mask: Any) -> Any:
    """MaskedTensors of data and masks; NotImplemented if they are no tensors."""
    if isinstance(result_data, (list, tuple)):
        pairs = zip(result_data, result_mask)
        return (list if isinstance(result_data, list) else tuple)(
            [_wrap_result(data, mask) for data, mask in pairs]
        )
    if torch.is_tensor(result_data):
        return MaskedTensor(result_data, result_mask)
    return NotImplemented


def _element_text(element: Any, formatter: str) -> str:
    return formatter.format(element) if isinstance(element, float) else str(element)


def _masked_tensor_str(data: Any, mask: Any, formatter: str) -> str:
    """The elements as text, row by row, with -- for those that are masked out."""
    if data.layout in (torch.sparse_coo, torch.sparse_csr):
        data, mask = data.to_dense(), mask.to_dense()
    if data.dim() == 1:
        elements = [_element_text(element.item(), formatter) for element in data]
        kept = mask.tolist()
        width = max(len(text) if keeps else 8 for text, keeps in zip(elements, kept))
        shown = [text if keeps else "--".rjust(width) for text, keeps in zip(elements, kept)]
        return f"[{', '.join(shown)}]"
    rows = [_masked_tensor_str(d, m, formatter) for d, m in zip(data, mask)]
    return "[\n" + ",\n".join(map(_indented, rows)) + "\n]"


def _indented(text: str) -> str:
    return "\n".join(["  " + line for line in text.split("\n")])


def _get_data(a: Any) -> Any:
    """The data of a MaskedTensor; anything else as it is."""
    return a._masked_data if is_masked_tensor(a) else a


def _maybe_get_mask(a: Any) -> Any:
    """The mask of a MaskedTensor; None of anything else."""
    return a.get_mask() if is_masked_tensor(a) else None


# What _ops_refs.py computes on MaskedTensors, above autograd and below it.
_MASKEDTENSOR_FUNCTION_TABLE: dict[Any, Callable[..., Any]] = {}
_MASKEDTENSOR_DISPATCH_TABLE: dict[Any, Callable[..., Any]] = {}


class MaskedTensor(torch.Tensor, watched=False):  # type: ignore[call-arg]
    """A tensor whose elements count where a mask is true.

    data: a tensor; it is copied. mask: one of the same shape and layout, of dtype bool.
    requires_grad: whether operators are recorded; `data` itself gets no gradient.
    TypeError or ValueError with torch's texts for what does not fit.
    As torch.masked.MaskedTensor.
    """

    __module__ = "torch.masked.maskedtensor.core"
    _masked_data: Any
    _masked_mask: Any

    @staticmethod
    def __new__(cls: Any, data: Any, mask: Any, requires_grad: bool = False) -> Any:
        if is_masked_tensor(data) or not torch.is_tensor(data):
            raise TypeError("data must be a Tensor")
        if is_masked_tensor(mask) or not torch.is_tensor(mask):
            raise TypeError("mask must be a Tensor")
        warnings.warn(_PROTOTYPE, UserWarning, stacklevel=2)
        if data.requires_grad:
            warnings.warn(_WITH_GRADIENT, UserWarning, stacklevel=2)
        return wrapper_subclasses.make_wrapper_subclass(
            cls,
            data.size(),
            device=data.device,
            dtype=data.dtype,
            layout=data.layout,
            requires_grad=requires_grad,
            dispatch_sizes_strides_policy="strides",
            dispatch_layout=True,
        )

    def __init__(self, data: Any, mask: Any, requires_grad: bool = False) -> None:
        self._preprocess_data(data, mask)
        self._validate_members()

    def _preprocess_data(self, data: Any, mask: Any) -> None:
        if data.layout != mask.layout:
            raise TypeError("data and mask must have the same layout.")
        if data.layout == torch.sparse_coo:
            data, mask = data.coalesce(), mask.coalesce()
            if data._nnz() != mask._nnz():
                data = _sparse_coo_where(mask, data, torch.tensor(0))
        elif data.layout == torch.sparse_csr and data._nnz() != mask._nnz():
            data = _sparse_csr_where(mask, data, torch.tensor(0))
        self._masked_data, self._masked_mask = data.clone(), mask.clone()

    def _validate_members(self) -> None:
        data, mask = self._masked_data, self._masked_mask
        if type(data) is not type(mask) and data.layout == mask.layout == torch.strided:
            raise TypeError(
                f"data and mask must have the same type. Got {type(data)} and {type(mask)}"
            )
        if data.layout not in (torch.strided, torch.sparse_coo, torch.sparse_csr):
            raise TypeError(f"data layout of {data.layout} is not supported.")
        if data.layout == torch.sparse_coo and not _indices_match(data, mask):
            raise ValueError(
                "data and mask are both sparse COO tensors but do not have the same indices."
            )
        if data.layout == torch.sparse_csr and not _indices_match(data, mask):
            raise ValueError(
                "data and mask are both sparse CSR tensors but do not share either crow or col "
                "indices."
            )
        if mask.dtype != torch.bool:
            raise TypeError("mask must have dtype bool.")
        if data.dtype not in _DTYPES:
            raise TypeError(f"{data.dtype} is not supported in MaskedTensor.")
        if data.dim() != mask.dim():
            raise ValueError("data.dim() must equal mask.dim()")
        if data.size() != mask.size():
            raise ValueError("data.size() must equal mask.size()")

    @staticmethod
    def _from_values(data: Any, mask: Any) -> Any:
        """A MaskedTensor whose gradients flow into `data`."""
        return Constructor.apply(data, mask)

    def _set_data_mask(self, data: Any, mask: Any) -> None:
        """Gives this tensor other data and another mask, in place."""
        self._masked_data, self._masked_mask = data, mask
        self._validate_members()

    def __repr__(self) -> str:
        data, mask = self.get_data(), self.get_mask()
        if self.dim() == 0:
            kept = mask.item()
            text = _element_text(data.item(), _FORMAT) if kept else "--"
            return f"MaskedTensor({text}, {kept})"
        return f"MaskedTensor(\n{_indented(_masked_tensor_str(data, mask, _FORMAT))}\n)"

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if func in _MASKEDTENSOR_FUNCTION_TABLE:
            return _MASKEDTENSOR_FUNCTION_TABLE[func](*args, **kwargs)
        if not all(issubclass(cls, each) for each in types):
            return NotImplemented
        with torch._C.DisableTorchFunctionSubclass():
            result = func(*args, **kwargs)
            return result if func in get_default_nowrap_functions() else converted(result, cls)

    @classmethod
    def unary(cls, fn: Any, data: Any, mask: Any) -> Any:
        """fn(data), masked by `mask`."""
        return MaskedTensor(fn(data), mask)

    @classmethod
    def __torch_dispatch__(cls, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        packet = func.overloadpacket
        if packet in _MASKEDTENSOR_DISPATCH_TABLE:
            return _MASKEDTENSOR_DISPATCH_TABLE[packet](*args, **kwargs)
        missing = f"{packet.__name__} is not implemented in __torch_dispatch__ for MaskedTensor"
        warnings.warn(unsupported(missing), stacklevel=2)
        return NotImplemented

    def __lt__(self, other: Any) -> Any:
        return MaskedTensor(self.get_data() < _get_data(other), self.get_mask())

    def to_tensor(self, value: Any) -> Any:
        """The data as a plain tensor, with `value` where it is masked out."""
        return self.get_data().masked_fill(~self.get_mask(), value)

    def get_data(self) -> Any:
        """The data as a plain tensor, through which gradients flow back."""
        return GetData.apply(self)

    def get_mask(self) -> Any:
        """The mask."""
        return self._masked_mask

    # What torch asks the data for, not the wrapper.
    layout = property(lambda self: self._masked_data.layout)

    def is_contiguous(self, memory_format: Any = torch.contiguous_format) -> bool:
        """Whether the data lies in memory in the order of its rows; ValueError if it is sparse."""
        if self._masked_data.is_sparse:
            raise ValueError("MaskedTensors with sparse data do not have is_contiguous")
        return bool(self._masked_data.is_contiguous(memory_format=memory_format))

    def is_sparse_coo(self) -> bool:
        """Whether data and mask have the layout torch.sparse_coo."""
        return self.layout == torch.sparse_coo

    def is_sparse_csr(self) -> bool:  # type: ignore[override]
        """Whether data and mask have the layout torch.sparse_csr."""
        return self.layout == torch.sparse_csr

    @property
    def is_sparse(self) -> bool:
        """Whether data and mask have a sparse layout."""
        return self.is_sparse_coo() or self.is_sparse_csr()


class Constructor(torch.autograd.Function):  # type: ignore[misc]
    """A MaskedTensor of a tensor and a mask."""

    @staticmethod
    def forward(ctx: Any, data: Any, mask: Any) -> Any:
        return MaskedTensor(data, mask)

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        return grad_output, None


class GetData(torch.autograd.Function):  # type: ignore[misc]
    """The data of a MaskedTensor."""

    @staticmethod
    def forward(ctx: Any, self: Any) -> Any:
        data = self._masked_data.detach()
        ctx.mask = self.get_mask()
        return data

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        if is_masked_tensor(grad_output):
            return grad_output
        return MaskedTensor(grad_output, ctx.mask)
