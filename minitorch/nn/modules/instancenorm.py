"""Instance normalisation. Ulyanov et al., https://arxiv.org/abs/1607.08022."""

from __future__ import annotations

from typing import Any

from minitorch.nn import functional as F
from minitorch.nn.modules.batchnorm import _LazyNormBase, _NormBase

__all__ = (
    "InstanceNorm1d InstanceNorm2d InstanceNorm3d LazyInstanceNorm1d LazyInstanceNorm2d "
    "LazyInstanceNorm3d"
).split()


class _InstanceNorm(_NormBase):
    """Each channel of each sample normalised by its own mean and variance."""

    _spatial_dims: int

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float = 0.1,
        affine: bool = False,
        track_running_stats: bool = False,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(
            num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias
        )

    def forward(self, input: Any) -> Any:
        self._check_input_dim(input)
        feature_dim = input.dim() - self._get_no_batch_dim()
        if input.size(feature_dim) != self.num_features:
            self._refuse(input, feature_dim)
        if feature_dim == 0:
            return self._handle_no_batch_input(input)
        return self._apply_instance_norm(input)

    def _get_no_batch_dim(self) -> int:
        """The number of dimensions of an input without a batch."""
        return self._spatial_dims + 1

    def _handle_no_batch_input(self, input: Any) -> Any:
        """The output for an input without a batch."""
        return self._apply_instance_norm(input.unsqueeze(0)).squeeze(0)

    def _refuse(self, input: Any, feature_dim: int) -> None:
        if self.affine:
            raise ValueError(
                f"expected input's size at dim={feature_dim} to match num_features "
                f"({self.num_features}), but got: {input.size(feature_dim)}."
            )
        import warnings

        warnings.warn(
            f"input's size at dim={feature_dim} does not match num_features. You can silence this "
            "warning by not passing in num_features, which is not used because affine=False",
            stacklevel=3,
        )

    def _apply_instance_norm(self, input: Any) -> Any:
        return F.instance_norm(
            input,
            self.running_mean,
            self.running_var,
            self.weight,
            self.bias,
            self.training or not self.track_running_stats,
            self.momentum if self.momentum is not None else 0.0,
            self.eps,
        )


class InstanceNorm1d(_InstanceNorm):
    """Instance normalisation of (N, C, L) or (C, L).

    (x - mean) / sqrt(var + eps) * weight + bias for each channel of each sample, with its own mean
    and variance; in evaluation with the running ones, if they are tracked.

    Args:
        num_features: C, the number of channels.
        eps: what is added to the variance.
        momentum: the weight of a new batch in the running mean and variance; None keeps them as
            they are.
        affine: whether there are a weight and a bias for each channel.
        track_running_stats: whether running means and variances are kept, and used in evaluation
            instead of the input's own.
        device, dtype: of the parameters and buffers.
        bias: whether there is a bias beside the weight.

    Shape:
        Input and output: (N, C, L) or (C, L).

    Attributes:
        weight: (C), ones; None unless `affine`.
        bias: (C), zeros; None unless `affine` and `bias`.
        running_mean, running_var: (C), zeros and ones; None unless `track_running_stats`. The
            variance is that over n - 1.
        num_batches_tracked: (), int64, 0; likewise. It stays 0.

    Raises:
        ValueError: at the call, for an input of another rank, for another number of channels if
            `affine` (else it warns), or for one value per channel, unless the running statistics
            are used.

    As torch.nn.InstanceNorm1d. Ulyanov et al., https://arxiv.org/abs/1607.08022.
    """

    _spatial_dims, _input_ranks, _expected_input = 1, (2, 3), "2D or 3D"


class InstanceNorm2d(_InstanceNorm):
    """Instance normalisation of (N, C, H, W) or (C, H, W).

    (x - mean) / sqrt(var + eps) * weight + bias for each channel of each sample, with its own mean
    and variance; in evaluation with the running ones, if they are tracked.

    Args:
        num_features: C, the number of channels.
        eps: what is added to the variance.
        momentum: the weight of a new batch in the running mean and variance; None keeps them as
            they are.
        affine: whether there are a weight and a bias for each channel.
        track_running_stats: whether running means and variances are kept, and used in evaluation
            instead of the input's own.
        device, dtype: of the parameters and buffers.
        bias: whether there is a bias beside the weight.

    Shape:
        Input and output: (N, C, H, W) or (C, H, W).

    Attributes:
        weight: (C), ones; None unless `affine`.
        bias: (C), zeros; None unless `affine` and `bias`.
        running_mean, running_var: (C), zeros and ones; None unless `track_running_stats`. The
            variance is that over n - 1.
        num_batches_tracked: (), int64, 0; likewise. It stays 0.

    Raises:
        ValueError: at the call, for an input of another rank, for another number of channels if
            `affine` (else it warns), or for one value per channel, unless the running statistics
            are used.

    As torch.nn.InstanceNorm2d. Ulyanov et al., https://arxiv.org/abs/1607.08022.
    """

    _spatial_dims, _input_ranks, _expected_input = 2, (3, 4), "3D or 4D"


class InstanceNorm3d(_InstanceNorm):
    """Instance normalisation of (N, C, D, H, W) or (C, D, H, W).

    (x - mean) / sqrt(var + eps) * weight + bias for each channel of each sample, with its own mean
    and variance; in evaluation with the running ones, if they are tracked.

    Args:
        num_features: C, the number of channels.
        eps: what is added to the variance.
        momentum: the weight of a new batch in the running mean and variance; None keeps them as
            they are.
        affine: whether there are a weight and a bias for each channel.
        track_running_stats: whether running means and variances are kept, and used in evaluation
            instead of the input's own.
        device, dtype: of the parameters and buffers.
        bias: whether there is a bias beside the weight.

    Shape:
        Input and output: (N, C, D, H, W) or (C, D, H, W).

    Attributes:
        weight: (C), ones; None unless `affine`.
        bias: (C), zeros; None unless `affine` and `bias`.
        running_mean, running_var: (C), zeros and ones; None unless `track_running_stats`. The
            variance is that over n - 1.
        num_batches_tracked: (), int64, 0; likewise. It stays 0.

    Raises:
        ValueError: at the call, for an input of another rank, for another number of channels if
            `affine` (else it warns), or for one value per channel, unless the running statistics
            are used.

    As torch.nn.InstanceNorm3d. Ulyanov et al., https://arxiv.org/abs/1607.08022.
    """

    _spatial_dims, _input_ranks, _expected_input = 3, (4, 5), "4D or 5D"


class LazyInstanceNorm1d(_LazyNormBase, InstanceNorm1d):
    """An InstanceNorm1d that takes num_features from its first input.

    The first call gives parameters and buffers their shapes, and makes the module an
    InstanceNorm1d. Without an argument it has affine parameters and running statistics, unlike
    InstanceNorm1d.

    Args:
        eps: what is added to the variance.
        momentum: the weight of a new batch in the running mean and variance; None keeps them as
            they are.
        affine: whether there are a weight and a bias for each channel.
        track_running_stats: whether running means and variances are kept, and used in evaluation
            instead of the input's own.
        device, dtype: of the parameters and buffers.
        bias: whether there is a bias beside the weight.

    Shape:
        Input and output: (N, C, ...), as of InstanceNorm1d; the first one with a batch.

    Attributes:
        weight, bias, running_mean, running_var: as of InstanceNorm1d, but without a shape before
            the first call.
        num_batches_tracked: (), int64, 0; None unless `track_running_stats`.

    As torch.nn.LazyInstanceNorm1d.
    """

    cls_to_become = InstanceNorm1d


class LazyInstanceNorm2d(_LazyNormBase, InstanceNorm2d):
    """An InstanceNorm2d that takes num_features from its first input.

    The first call gives parameters and buffers their shapes, and makes the module an
    InstanceNorm2d. Without an argument it has affine parameters and running statistics, unlike
    InstanceNorm2d.

    Args:
        eps: what is added to the variance.
        momentum: the weight of a new batch in the running mean and variance; None keeps them as
            they are.
        affine: whether there are a weight and a bias for each channel.
        track_running_stats: whether running means and variances are kept, and used in evaluation
            instead of the input's own.
        device, dtype: of the parameters and buffers.
        bias: whether there is a bias beside the weight.

    Shape:
        Input and output: (N, C, ...), as of InstanceNorm2d; the first one with a batch.

    Attributes:
        weight, bias, running_mean, running_var: as of InstanceNorm2d, but without a shape before
            the first call.
        num_batches_tracked: (), int64, 0; None unless `track_running_stats`.

    As torch.nn.LazyInstanceNorm2d.
    """

    cls_to_become = InstanceNorm2d


class LazyInstanceNorm3d(_LazyNormBase, InstanceNorm3d):
    """An InstanceNorm3d that takes num_features from its first input.

    The first call gives parameters and buffers their shapes, and makes the module an
    InstanceNorm3d. Without an argument it has affine parameters and running statistics, unlike
    InstanceNorm3d.

    Args:
        eps: what is added to the variance.
        momentum: the weight of a new batch in the running mean and variance; None keeps them as
            they are.
        affine: whether there are a weight and a bias for each channel.
        track_running_stats: whether running means and variances are kept, and used in evaluation
            instead of the input's own.
        device, dtype: of the parameters and buffers.
        bias: whether there is a bias beside the weight.

    Shape:
        Input and output: (N, C, ...), as of InstanceNorm3d; the first one with a batch.

    Attributes:
        weight, bias, running_mean, running_var: as of InstanceNorm3d, but without a shape before
            the first call.
        num_batches_tracked: (), int64, 0; None unless `track_running_stats`.

    As torch.nn.LazyInstanceNorm3d.
    """

    cls_to_become = InstanceNorm3d
