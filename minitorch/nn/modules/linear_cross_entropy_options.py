"""How linear_cross_entropy goes through a batch."""

from __future__ import annotations

import dataclasses
from typing import Any

from minitorch.core.numbers import dtype as dtypes

__all__ = ["LinearCrossEntropyOptions"]

_ACCUMULATED_IN = {dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64}


@dataclasses.dataclass(slots=True, frozen=True)
class LinearCrossEntropyOptions:
    """Chunks of the batch, and the dtype in which they are added up.

    Args:
        allow_retain_graph: whether backward may run more than once; else it writes into the
            gradients that the forward has computed.
        batch_chunk_size: the number of samples in a chunk; None for what `chunking_method` says.
        chunking_method: 'aspect_ratio' for chunks with about as many logits as the input has
            numbers, 'aspect_ratio:n' for an n-th of that, 'auto' for one of these, None for the
            whole batch or `batch_chunk_size`.
        acc_policy: 'accurate' keeps gradients in `acc_dtype` while they are added up, 'balanced'
            and 'compact' in the input's dtype; 'compact' adds to the weight's gradient in place.
            'auto' is 'accurate' for half precision on the CPU, else 'compact'.
        acc_dtype: the dtype of sums and of the loss; None for float32 with inputs of half precision
            if `acc_policy` is 'auto', else the input's.

    Raises:
        ValueError: for any other value.

    As torch.nn.LinearCrossEntropyOptions.
    """

    allow_retain_graph: bool = False
    batch_chunk_size: int | None = None
    chunking_method: str | None = "auto"
    acc_policy: str = "auto"
    acc_dtype: Any = None

    def __post_init__(self) -> None:
        if self.acc_policy not in ("auto", "accurate", "balanced", "compact"):
            raise ValueError(f"invalid acc_policy: {self.acc_policy!r}")
        if self.chunking_method not in (None, "auto"):
            name, given, factor = self.chunking_method.partition(":")
            if name != "aspect_ratio" or (given and not (factor.isdigit() and int(factor))):
                raise ValueError(f"invalid chunking_method: {self.chunking_method!r}")
        size = self.batch_chunk_size
        if not (size is None or (isinstance(size, int) and size > 0)):
            raise ValueError(f"batch_chunk_size must be positive int or None, got {size!r}")
        if not (self.acc_dtype is None or self.acc_dtype in _ACCUMULATED_IN):
            raise ValueError(
                "acc_dtype must be one of {None, torch.float16, torch.bfloat16, torch.float32, "
                f"torch.float64}}, got {self.acc_dtype!r}. Pass acc_dtype=None to let the op pick "
                "automatically."
            )

    def _resolved(self, count: int, features: int, classes: int, kind: Any, device: Any) -> Any:
        """Options in which nothing is automatic any more, decided for an input of `count` rows.

        Args:
            count, features: the input's sizes.
            classes: the number of classes.
            kind: the input's dtype.
            device: the input's device.

        Raises:
            ValueError: if `batch_chunk_size` and `chunking_method` give different sizes of chunks.
        """
        policy, method, own = self.acc_policy, self.chunking_method, self.batch_chunk_size
        half = kind in (dtypes.float16, dtypes.bfloat16)
        exact = half and device.type == "cpu"
        if policy == "auto":
            policy = "accurate" if exact else "compact"
        if method == "auto":
            automatic = "aspect_ratio" if exact else "aspect_ratio:2"
            method = automatic if own is None else None
        size = count if own is None else min(own, count)
        if method is not None:
            rows = -(-count // -(-classes // features))  # as many logits as `input` has numbers
            size = min((1 << (rows - 1).bit_length()) // int(method[13:] or 1), count)
            if own not in (None, size):
                raise ValueError(
                    f"batch_chunk_size (={own}) and chunking_method ('{method}') give different "
                    f"chunk sizes ({own} vs {size}); pass only one."
                )
        wide = self.acc_dtype
        if wide is None:
            wide = dtypes.float32 if half and self.acc_policy == "auto" else kind
        return dataclasses.replace(
            self,
            acc_policy=policy,
            chunking_method=method,
            batch_chunk_size=max(1, size),
            acc_dtype=wide,
        )


LinearCrossEntropyOptions.__module__ = "torch.nn.modules.linear_cross_entropy_options"
