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
    """Each channel standardised over the batch, or by its running statistics."""
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
    """Each channel of each image standardised by itself."""
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
    """The last dimensions standardised together, scaled and shifted."""
    return normalization.layer_norm(input, normalized_shape, weight, bias, eps)


def group_norm(
    input: Any, num_groups: int, weight: Any = None, bias: Any = None, eps: float = 1e-5
) -> Any:
    """Each group of channels standardised by itself."""
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
    """The last dimensions over their root mean square."""
    return normalization.rms_norm(input, normalized_shape, weight, eps)


def normalize(input: Any, p: float = 2.0, dim: Any = 1, eps: float = 1e-12, out: Any = None) -> Any:
    """`input` over its p-norm along `dim`."""
    norm = input.norm(p, dim, True)
    if out is None:
        return input / norm.clamp_min(eps).expand_as(input)
    return OPS.div(input, norm.clamp_min_(eps).expand_as(input), out=out)
