"""torch.nn.attention.bias: the masks of causal attention, by name."""

from __future__ import annotations

from enum import IntEnum
from typing import Any
from warnings import warn

from minitorch.core.base.formulas import OPS
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.tensor.tensor import Tensor
from minitorch.nn import functional as F

__all__ = ["CausalBias", "CausalVariant", "causal_lower_right", "causal_upper_left"]


class CausalVariant(IntEnum):
    """In which corner the triangle of a mask that is no square lies."""

    UPPER_LEFT = 1
    LOWER_RIGHT = 2


class CausalBias(Tensor):
    """A triangular mask for scaled_dot_product_attention."""

    def __init__(self, variant: CausalVariant, seq_len_q: int, seq_len_kv: int) -> None:
        if not isinstance(variant, CausalVariant):
            raise AssertionError(f"variant must be a CausalVariant, got {type(variant).__name__}")
        super().__init__()
        self.variant = variant
        self.seq_len_q = seq_len_q
        self.seq_len_kv = seq_len_kv
        if seq_len_q > seq_len_kv and variant == CausalVariant.LOWER_RIGHT:
            warn(
                "Lower right causal bias will produce NaNs in the output when seq_len_q > "
                "seq_len_kv!",
                stacklevel=2,
            )

    def _materialize(self, device: Any = None) -> Any:
        n, m = self.seq_len_q, self.seq_len_kv
        diagonal = 0 if self.variant == CausalVariant.UPPER_LEFT else m - n
        return OPS.tril(OPS.ones(n, m, device=device or "cpu", dtype=dtypes.bool), diagonal)

    @staticmethod
    def _dispatch(
        query: Any,
        key: Any,
        value: Any,
        attn_mask: CausalBias,
        dropout_p: float = 0.0,
        is_causal: bool = False,
        scale: float | None = None,
        enable_gqa: bool = False,
    ) -> Any:
        if is_causal:
            raise ValueError("CausalBias should not be used with causal=True")
        rest = {"dropout_p": dropout_p, "scale": scale, "enable_gqa": enable_gqa}
        square = attn_mask.seq_len_q == attn_mask.seq_len_kv
        if square or attn_mask.variant == CausalVariant.UPPER_LEFT:
            return F.scaled_dot_product_attention(query, key, value, is_causal=True, **rest)
        dtype, device, dims = (
            [getattr(x, what) for x in (query, key, value)] for what in ("dtype", "device", "ndim")
        )
        for words, what, of, wrong in (
            ("have the same dtype,", "dtype", dtype, len(set(dtype)) > 1),
            ("have the same device type,", "device", device, len(set(device)) > 1),
            ("all be  at least 2 dimensional,", "dim", dims, min(dims) < 2),
        ):
            if wrong:
                comma = "" if what == "dim" else ","
                raise ValueError(
                    f"Expected query, key, and value to {words} but got query.{what}: {of[0]}, "
                    f"key.{what}: {of[1]}{comma} and value.{what}: {of[2]} instead."
                )
        mask = attn_mask._materialize(query.device)
        return F.scaled_dot_product_attention(query, key, value, mask, **rest)

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func is F.scaled_dot_product_attention:
            return cls._dispatch(*args, **(kwargs or {}))
        return super().__torch_function__(func, types, args, kwargs or {})

    def __repr__(self) -> str:  # type: ignore[override]
        return repr(self._materialize())


def _of(name: str, variant: CausalVariant, size: tuple[int, ...]) -> CausalBias:
    if len(size) != 2:
        raise AssertionError(f"{name} only supports 2D tensors")
    return CausalBias(variant, *size)


def causal_upper_left(*size: int) -> CausalBias:
    """The mask whose triangle begins in the upper left corner."""
    return _of("causal_upper_left", CausalVariant.UPPER_LEFT, size)


def causal_lower_right(*size: int) -> CausalBias:
    """The mask whose triangle ends in the lower right corner."""
    return _of("causal_lower_right", CausalVariant.LOWER_RIGHT, size)
