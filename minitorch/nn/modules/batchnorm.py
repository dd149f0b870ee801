"""Batch normalisation. Ioffe and Szegedy, https://arxiv.org/abs/1502.03167."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any

from minitorch.core.base.formulas import OPS
from minitorch.core.base.naming import name_after
from minitorch.core.numbers.dtype import int64
from minitorch.core.tensor.parameter import Parameter
from minitorch.nn import functional as F
from minitorch.nn import init
from minitorch.nn.modules.lazy import LazyModuleMixin
from minitorch.nn.modules.module import Module
from minitorch.nn.uninitialized import UninitializedBuffer, UninitializedParameter

__all__ = (
    "BatchNorm1d BatchNorm2d BatchNorm3d LazyBatchNorm1d LazyBatchNorm2d LazyBatchNorm3d "
    "SyncBatchNorm"
).split()


class _NormBase(Module):
    """Scale, shift and running statistics per channel.

    momentum: the weight of a new batch in the running mean and variance; None for a plain average.
    """

    __constants__ = ["track_running_stats", "momentum", "eps", "num_features", "affine"]

    _version = 2  # since then state_dict has num_batches_tracked
    _input_ranks: tuple[int, ...]
    _expected_input: str

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__()
        self.num_features = num_features
        self.eps = eps
        self.momentum = momentum
        self.affine = affine
        self.track_running_stats = track_running_stats
        options = {"device": device, "dtype": dtype}
        parameters = {"weight": affine, "bias": affine and bias}
        for name, wanted in parameters.items():
            value = Parameter(OPS.empty(num_features, **options)) if wanted else None
            self.register_parameter(name, value)
        if track_running_stats:
            self.register_buffer("running_mean", OPS.zeros(num_features, **options))
            self.register_buffer("running_var", OPS.ones(num_features, **options))
            batches = OPS.tensor(0, dtype=int64, device=device)
            self.register_buffer("num_batches_tracked", batches)
        else:
            for name in ("running_mean", "running_var", "num_batches_tracked"):
                self.register_buffer(name, None)
        self.reset_parameters()

    def reset_running_stats(self) -> None:
        """Forgets the batches seen so far."""
        if self.track_running_stats:
            self.running_mean.zero_()
            self.running_var.fill_(1)
            self.num_batches_tracked.zero_()

    def reset_parameters(self) -> None:
        """Scale 1, shift 0, no batches seen."""
        self.reset_running_stats()
        if self.weight is not None:
            init.ones_(self.weight)
        if self.bias is not None:
            init.zeros_(self.bias)

    def _check_input_dim(self, input: Any) -> None:
        if input.dim() not in self._input_ranks:
            raise ValueError(f"expected {self._expected_input} input (got {input.dim()}D input)")

    def extra_repr(self) -> str:
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, "
            f"bias={self.bias is not None}, track_running_stats={self.track_running_stats}"
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
        version = local_metadata.get("version", None)
        key = prefix + "num_batches_tracked"
        if (version is None or version < 2) and self.track_running_stats and key not in state_dict:
            state_dict[key] = self.num_batches_tracked.clone()
        super()._load_from_state_dict(
            state_dict,
            prefix,
            local_metadata,
            strict,
            missing_keys,
            unexpected_keys,
            error_msgs,
        )


class _BatchNorm(_NormBase):
    """(x - mean) / sqrt(var + eps) * weight + bias per channel.

    Mean and variance are those of the batch in training (or where nothing is tracked), else the
    running ones.
    """

    def forward(self, input: Any) -> Any:
        self._check_input_dim(input)
        momentum = 0.0 if self.momentum is None else self.momentum
        if self.training and self.track_running_stats and self.num_batches_tracked is not None:
            self.num_batches_tracked.add_(1)
            if self.momentum is None:
                momentum = 1.0 / float(self.num_batches_tracked)
        by_batch = self.training or (self.running_mean is None and self.running_var is None)
        tracked = not self.training or self.track_running_stats
        return self._normalized(input, momentum, by_batch, tracked)

    def _normalized(self, input: Any, momentum: float, by_batch: bool, tracked: bool) -> Any:
        """The result, by the statistics of the batch or the running ones."""
        return F.batch_norm(
            input,
            self.running_mean if tracked else None,
            self.running_var if tracked else None,
            self.weight,
            self.bias,
            by_batch,
            momentum,
            self.eps,
        )


name_after(_BatchNorm, "__init__")


class BatchNorm1d(_BatchNorm):
    """Batch normalisation of (N, C) or (N, C, L).

    (x - mean) / sqrt(var + eps) * weight + bias per channel. Mean and variance are those of the
    batch while training (or if none are tracked), else the running ones.

    Args:
        num_features: C, the number of channels.
        eps: what is added to the variance.
        momentum: the weight of a new batch in the running mean and variance; None for the plain
            average of all batches.
        affine: whether there are a weight and a bias for each channel.
        track_running_stats: whether running means and variances are kept, and used in evaluation
            instead of the batch's own.
        device, dtype: of the parameters and buffers.
        bias: whether there is a bias beside the weight.

    Shape:
        Input and output: (N, C) or (N, C, L).

    Attributes:
        weight: (C), ones; None unless `affine`.
        bias: (C), zeros; None unless `affine` and `bias`.
        running_mean, running_var: (C), zeros and ones; None unless `track_running_stats`. The
            variance is that over n - 1.
        num_batches_tracked: (), int64, 0; likewise.

    Raises:
        ValueError: at the call, for an input of another rank, or for one value per channel, unless
            the running statistics are used.
        RuntimeError: at the call, for another number of channels.

    As torch.nn.BatchNorm1d. Ioffe and Szegedy, https://arxiv.org/abs/1502.03167.
    """

    _input_ranks, _expected_input = (2, 3), "2D or 3D"


class BatchNorm2d(_BatchNorm):
    """Batch normalisation of (N, C, H, W).

    (x - mean) / sqrt(var + eps) * weight + bias per channel. Mean and variance are those of the
    batch while training (or if none are tracked), else the running ones.

    Args:
        num_features: C, the number of channels.
        eps: what is added to the variance.
        momentum: the weight of a new batch in the running mean and variance; None for the plain
            average of all batches.
        affine: whether there are a weight and a bias for each channel.
        track_running_stats: whether running means and variances are kept, and used in evaluation
            instead of the batch's own.
        device, dtype: of the parameters and buffers.
        bias: whether there is a bias beside the weight.

    Shape:
        Input and output: (N, C, H, W).

    Attributes:
        weight: (C), ones; None unless `affine`.
        bias: (C), zeros; None unless `affine` and `bias`.
        running_mean, running_var: (C), zeros and ones; None unless `track_running_stats`. The
            variance is that over n - 1.
        num_batches_tracked: (), int64, 0; likewise.

    Raises:
        ValueError: at the call, for an input of another rank, or for one value per channel, unless
            the running statistics are used.
        RuntimeError: at the call, for another number of channels.

    As torch.nn.BatchNorm2d. Ioffe and Szegedy, https://arxiv.org/abs/1502.03167.
    """

    _input_ranks, _expected_input = (4,), "4D"


class BatchNorm3d(_BatchNorm):
    """Batch normalisation of (N, C, D, H, W).

    (x - mean) / sqrt(var + eps) * weight + bias per channel. Mean and variance are those of the
    batch while training (or if none are tracked), else the running ones.

    Args:
        num_features: C, the number of channels.
        eps: what is added to the variance.
        momentum: the weight of a new batch in the running mean and variance; None for the plain
            average of all batches.
        affine: whether there are a weight and a bias for each channel.
        track_running_stats: whether running means and variances are kept, and used in evaluation
            instead of the batch's own.
        device, dtype: of the parameters and buffers.
        bias: whether there is a bias beside the weight.

    Shape:
        Input and output: (N, C, D, H, W).

    Attributes:
        weight: (C), ones; None unless `affine`.
        bias: (C), zeros; None unless `affine` and `bias`.
        running_mean, running_var: (C), zeros and ones; None unless `track_running_stats`. The
            variance is that over n - 1.
        num_batches_tracked: (), int64, 0; likewise.

    Raises:
        ValueError: at the call, for an input of another rank, or for one value per channel, unless
            the running statistics are used.
        RuntimeError: at the call, for another number of channels.

    As torch.nn.BatchNorm3d. Ioffe and Szegedy, https://arxiv.org/abs/1502.03167.
    """

    _input_ranks, _expected_input = (5,), "5D"


class _LazyNormBase(LazyModuleMixin, _NormBase):
    """A normalisation that takes num_features from its first input."""

    def __init__(
        self,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        # Without parameters and buffers, which would be overwritten.
        super().__init__(0, eps, momentum, False, False, device, dtype, bias=False)
        self.affine = affine
        self.track_running_stats = track_running_stats
        if affine:
            self.weight = UninitializedParameter(device=device, dtype=dtype)
            if bias:
                self.bias = UninitializedParameter(device=device, dtype=dtype)
        if track_running_stats:
            self.running_mean = UninitializedBuffer(device=device, dtype=dtype)
            self.running_var = UninitializedBuffer(device=device, dtype=dtype)
            self.num_batches_tracked = OPS.tensor(0, dtype=int64, device=device)

    def reset_parameters(self) -> None:
        """Scale 1, shift 0, no batches seen, once they have a shape."""
        if not self.has_uninitialized_params() and self.num_features != 0:
            super().reset_parameters()

    def initialize_parameters(self, input: Any) -> None:
        """Takes num_features from `input`."""
        if self.has_uninitialized_params():
            self.num_features = input.shape[1]
            for member in (self.weight, self.bias, self.running_mean, self.running_var):
                if member is not None:
                    member.materialize((self.num_features,))
            self.reset_parameters()


class LazyBatchNorm1d(_LazyNormBase, BatchNorm1d):
    """A BatchNorm1d that takes num_features from its first input.

    The first call gives parameters and buffers their shapes, and makes the module a BatchNorm1d.

    Args:
        eps: what is added to the variance.
        momentum: the weight of a new batch in the running mean and variance; None for the plain
            average of all batches.
        affine: whether there are a weight and a bias for each channel.
        track_running_stats: whether running means and variances are kept, and used in evaluation
            instead of the batch's own.
        device, dtype: of the parameters and buffers.
        bias: whether there is a bias beside the weight.

    Shape:
        Input and output: (N, C) or (N, C, L).

    Attributes:
        weight, bias, running_mean, running_var: as of BatchNorm1d, but without a shape before the
            first call.
        num_batches_tracked: (), int64, 0; None unless `track_running_stats`.

    As torch.nn.LazyBatchNorm1d.
    """

    cls_to_become = BatchNorm1d


class LazyBatchNorm2d(_LazyNormBase, BatchNorm2d):
    """A BatchNorm2d that takes num_features from its first input.

    The first call gives parameters and buffers their shapes, and makes the module a BatchNorm2d.

    Args:
        eps: what is added to the variance.
        momentum: the weight of a new batch in the running mean and variance; None for the plain
            average of all batches.
        affine: whether there are a weight and a bias for each channel.
        track_running_stats: whether running means and variances are kept, and used in evaluation
            instead of the batch's own.
        device, dtype: of the parameters and buffers.
        bias: whether there is a bias beside the weight.

    Shape:
        Input and output: (N, C, H, W).

    Attributes:
        weight, bias, running_mean, running_var: as of BatchNorm2d, but without a shape before the
            first call.
        num_batches_tracked: (), int64, 0; None unless `track_running_stats`.

    As torch.nn.LazyBatchNorm2d.
    """

    cls_to_become = BatchNorm2d


class LazyBatchNorm3d(_LazyNormBase, BatchNorm3d):
    """A BatchNorm3d that takes num_features from its first input.

    The first call gives parameters and buffers their shapes, and makes the module a BatchNorm3d.

    Args:
        eps: what is added to the variance.
        momentum: the weight of a new batch in the running mean and variance; None for the plain
            average of all batches.
        affine: whether there are a weight and a bias for each channel.
        track_running_stats: whether running means and variances are kept, and used in evaluation
            instead of the batch's own.
        device, dtype: of the parameters and buffers.
        bias: whether there is a bias beside the weight.

    Shape:
        Input and output: (N, C, D, H, W).

    Attributes:
        weight, bias, running_mean, running_var: as of BatchNorm3d, but without a shape before the
            first call.
        num_batches_tracked: (), int64, 0; None unless `track_running_stats`.

    As torch.nn.LazyBatchNorm3d.
    """

    cls_to_become = BatchNorm3d


class SyncBatchNorm(_BatchNorm):
    """Batch normalisation over the batches of all processes.

    Args:
        num_features: C, the number of channels.
        eps: what is added to the variance.
        momentum: the weight of a new batch in the running mean and variance; None for the plain
            average of all batches.
        affine: whether there are a weight and a bias for each channel.
        track_running_stats: whether running means and variances are kept, and used in evaluation
            instead of the batch's own.
        process_group: the processes whose batches count; None for all.
        device, dtype: of the parameters and buffers.
        bias: whether there is a bias beside the weight.

    Shape:
        Input and output: (N, C, *).

    Attributes:
        weight: (C), ones; None unless `affine`.
        bias: (C), zeros; None unless `affine` and `bias`.
        running_mean, running_var: (C), zeros and ones; None unless `track_running_stats`. The
            variance is that over n - 1.
        num_batches_tracked: (), int64, 0; likewise.

    Raises:
        ValueError: at the call, for an input of less than two dimensions or without channels, or
            for one value per channel, unless the running statistics are used; while training on the
            CPU with torch.distributed initialised, as in torch.

    As torch.nn.SyncBatchNorm.
    """

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        process_group: Any = None,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(
            num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias
        )
        self.process_group = process_group

    def _normalized(self, input: Any, momentum: float, by_batch: bool, tracked: bool) -> Any:
        distributed = sys.modules.get("minitorch.distributed")
        if not self.training or distributed is None or not distributed.is_initialized():
            return super()._normalized(input, momentum, by_batch, tracked)
        if input.device.type != "cuda":
            raise ValueError(
                "SyncBatchNorm expected input tensor to be on GPU or XPU or privateuseone"
            )
        group = self.process_group or distributed.group.WORLD
        size = distributed.get_world_size(group)
        if size == 1:
            return super()._normalized(input, momentum, by_batch, tracked)
        # start-up: 1 ms
        function = import_module("minitorch.nn.modules._functions").SyncBatchNorm
        means = (self.running_mean, self.running_var) if tracked else (None, None)
        return function.apply(
            input, self.weight, self.bias, *means, self.eps, momentum, group, size
        )

    def _check_input_dim(self, input: Any) -> None:
        if input.dim() < 2:
            raise ValueError(f"expected at least 2D input (got {input.dim()}D input)")
        self._check_non_zero_input_channels(input)

    def _check_non_zero_input_channels(self, input: Any) -> None:
        if input.size(1) == 0:
            raise ValueError("SyncBatchNorm number of input channels should be non-zero")

    @classmethod
    def convert_sync_batchnorm(cls, module: Any, process_group: Any = None) -> Any:
        """`module`, every batch norm in it a SyncBatchNorm with its parameters and statistics.

        Args:
            module: any Module; its children are replaced in place.
            process_group: passed to each SyncBatchNorm.

        Returns:
            `module`, or a SyncBatchNorm if it is a batch norm itself.
        """
        result = module
        if isinstance(module, _BatchNorm):
            result = SyncBatchNorm(
                module.num_features,
                module.eps,
                module.momentum,
                module.affine,
                module.track_running_stats,
                process_group,
                bias=module.bias is not None,
            )
            taken = ["running_mean", "running_var", "num_batches_tracked", "training"]
            for name in [*(("weight", "bias") if module.affine else ()), *taken]:
                setattr(result, name, getattr(module, name))
        for name, child in module.named_children():
            result.add_module(name, cls.convert_sync_batchnorm(child, process_group))
        return result
