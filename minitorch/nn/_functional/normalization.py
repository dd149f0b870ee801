"""The normalisations of torch.nn.functional."""

from __future__ import annotations

from typing import Any

from minitorch.aten.layers import normalization
from minitorch.core.base.formulas import OPS


def _check_more_than_one(size: Any) -> None:
    """ValueError if a batch has but one value per channel."""
    count = size[0]
    for n in size[2:]:
        count *= n
    if count == 1:
        raise ValueError(
            f"Expected more than 1 value per channel when training, got input size {size}"
        )


def batch_norm(
    input: Any,
    running_mean: Any,
    running_var: Any,
    weight: Any = None,
    bias: Any = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Any:
    """Each channel standardised over the batch, or by its running statistics.

    Args:
        input: floating, (N, C, ...).
        running_mean, running_var: (C,), the statistics over batches, updated while training; both
            may be None then.
        weight, bias: (C,), the factor and the summand of each channel; 1 and 0 if None.
        training: whether to take the batch's own mean and variance.
        momentum: the share of the new statistics in the running ones.
        eps: what is added to the variance; positive while training.

    Returns:
        Of the shape and dtype of `input`.

    Raises:
        ValueError: for one value per channel while training, and for an `eps` that is too small.
        RuntimeError: for statistics, weights or biases of another size, or none without training.
        NotImplementedError: for integers.

    As torch.nn.functional.batch_norm (ATen/native/Normalization.cpp). Ioffe and Szegedy,
    https://arxiv.org/abs/1502.03167.
    """
    if training:
        _check_more_than_one(input.size())
        if eps <= 0.0:
            raise ValueError(f"batch_norm eps must be positive during training, but got {eps}")
    elif eps < 0.0:
        raise ValueError(f"batch_norm eps must be non-negative, but got {eps}")
    return normalization.batch_norm(
        input, weight, bias, running_mean, running_var, training, momentum, eps, True
    )


def instance_norm(
    input: Any,
    running_mean: Any = None,
    running_var: Any = None,
    weight: Any = None,
    bias: Any = None,
    use_input_stats: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Any:
    """Each channel of each image standardised by itself.

    Args:
        input: floating, (N, C, ...).
        running_mean, running_var: (C,), the statistics over batches, updated if `use_input_stats`;
            both may be None then.
        weight, bias: (C,), the factor and the summand of each channel; 1 and 0 if None.
        use_input_stats: whether to take the mean and variance of each channel of each image.
        momentum: the share of the new statistics in the running ones.
        eps: what is added to the variance.

    Returns:
        Of the shape and dtype of `input`.

    Raises:
        ValueError: for one value per channel of an image.
        RuntimeError: for no running statistics if not `use_input_stats`.

    As torch.nn.functional.instance_norm (ATen/native/Normalization.cpp). Ulyanov et al.,
    https://arxiv.org/abs/1607.08022.
    """
    if use_input_stats:
        size = input.size()
        count = 1
        for n in size[2:]:
            count *= n
        if count == 1:
            raise ValueError(
                f"Expected more than 1 spatial element when training, got input size {size}"
            )
    return normalization.instance_norm(
        input, weight, bias, running_mean, running_var, use_input_stats, momentum, eps, True
    )


def layer_norm(
    input: Any, normalized_shape: Any, weight: Any = None, bias: Any = None, eps: float = 1e-5
) -> Any:
    """The last dimensions standardised together, scaled and shifted.

    Args:
        input: floating, (..., *normalized_shape).
        normalized_shape: a list or tuple, the sizes of the last dimensions.
        weight, bias: of the shape `normalized_shape`, factor and summand; 1 and 0 if None.
        eps: what is added to the variance.

    Returns:
        Of the shape and dtype of `input`.

    Raises:
        RuntimeError: if `normalized_shape` is empty or is not how the input ends, or for a weight
            or bias of another shape.
        TypeError: if `normalized_shape` is one number.
        NotImplementedError: for integers.

    As torch.nn.functional.layer_norm (ATen/native/layer_norm.cpp). Ba et al.,
    https://arxiv.org/abs/1607.06450.
    """
    return normalization.layer_norm(input, normalized_shape, weight, bias, eps)


def group_norm(
    input: Any, num_groups: int, weight: Any = None, bias: Any = None, eps: float = 1e-5
) -> Any:
    """Each group of channels standardised by itself.

    Args:
        input: floating, (N, C, ...).
        num_groups: of channels, a divisor of C.
        weight, bias: (C,), the factor and the summand of each channel; 1 and 0 if None.
        eps: what is added to the variance.

    Returns:
        Of the shape and dtype of `input`.

    Raises:
        RuntimeError: for fewer than two dimensions, groups of unequal size, or a weight or bias of
            another size.
        ValueError: for one value per group.
        NotImplementedError: for integers.

    As torch.nn.functional.group_norm (ATen/native/group_norm.cpp). Wu and He,
    https://arxiv.org/abs/1803.08494.
    """
    if input.dim() < 2:
        raise RuntimeError(
            f"Expected at least 2 dimensions for input tensor but received {input.dim()}"
        )
    size = input.size()
    count = size[0] * (size[1] // num_groups)
    for n in size[2:]:
        count *= n
    if count == 1:
        raise ValueError(
            "Expected more than 1 value per channel when training, got input size "
            f"{[size[0] * size[1] // num_groups, num_groups, *size[2:]]}"
        )
    return normalization.group_norm(input, num_groups, weight, bias, eps)


def rms_norm(
    input: Any, normalized_shape: Any, weight: Any = None, eps: float | None = None
) -> Any:
    """The last dimensions over their root mean square.

    Args:
        input: floating, (..., *normalized_shape).
        normalized_shape: a list or tuple, the sizes of the last dimensions.
        weight: of the shape `normalized_shape`, a factor; 1 if None.
        eps: what is added to the mean square; the machine epsilon of the dtype that it is computed
            in if None.

    Returns:
        Of the shape and dtype of `input`.

    Raises:
        RuntimeError: if `normalized_shape` is empty or is not how the input ends, or for a weight
            of another shape.
        NotImplementedError: for integers.

    As torch.nn.functional.rms_norm (ATen/native/layer_norm.cpp). Zhang and Sennrich,
    https://arxiv.org/abs/1910.07467.
    """
    return normalization.rms_norm(input, normalized_shape, weight, eps)


def normalize(input: Any, p: float = 2.0, dim: Any = 1, eps: float = 1e-12, out: Any = None) -> Any:
    """`input` over its p-norm along `dim`.

    Args:
        input: floating or complex, of any shape.
        p: the exponent of the norm.
        dim: the dimension, or a tuple of them, along which a vector lies.
        eps: the least norm that `input` is divided by.
        out: the tensor that the result is written into.

    Returns:
        Of the shape and dtype of `input`.

    Raises:
        IndexError: if `input` has no dimension `dim`.
        RuntimeError: for integers.

    As torch.nn.functional.normalize.
    """
    norm = input.norm(p, dim, True)
    if out is None:
        return input / norm.clamp_min(eps).expand_as(input)
    return OPS.div(input, norm.clamp_min_(eps).expand_as(input), out=out)
